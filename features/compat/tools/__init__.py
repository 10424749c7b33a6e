"""The tools of other systems by their names; those of AgentMem OS are AgentOS's own (`tools/agentmem.py`)."""

from .agent_memory import AGENT_MEMORY_TOOLS
from .agentos_1 import AGENTOS_1_TOOLS
from .memoryos import MEMORYOS_TOOLS

TOOLS = (*AGENTOS_1_TOOLS, *MEMORYOS_TOOLS, *AGENT_MEMORY_TOOLS)
