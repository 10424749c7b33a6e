"""Sources: the trust in what comes from one."""

OWN = 1.0
"""Trust of what an agent stores itself, or names by its own name."""
LOW = 0.3
"""Trust of what was written elsewhere: it never overwrites what an agent or a human stated."""
_ELSEWHERE = frozenset(
    """web website webpage page url http https html browser search crawl crawler scrape scraper scraped rss feed
    news blog wiki
    email e-mail mail inbox imap newsletter sms document doc docs pdf file upload attachment ocr import imported
    csv export
    connector integration sync webhook api tool tool_output output plugin mcp external third-party untrusted anonymous
    unknown forum comment social twitter reddit guess inferred""".split()
)


def trust_of(source: str) -> float:
    """Return the trust (0..1) in a source by its name.

    Low for what was written elsewhere (web, email, document, import …), 1 for agents and humans.
    """
    name = source.strip().lower()
    head = name.replace("/", ":").replace("@", ":").split(":", 1)[0].strip()
    words = {head, *head.replace("-", " ").replace("_", " ").split()}
    return LOW if words & _ELSEWHERE else OWN
