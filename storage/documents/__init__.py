"""Documents: passages out of text, Markdown, HTML, PDF and DOCX."""
