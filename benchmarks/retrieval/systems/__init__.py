"""What is measured: AgentOS, references without context, and others' memories, behind one small protocol."""
