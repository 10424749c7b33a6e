"""The measured systems: AgentOS, references without context, and other projects' memories, behind one protocol."""
