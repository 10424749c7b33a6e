"""The tools of other systems by their names."""

from .agent_memory import AGENT_MEMORY_TOOLS
from .agentmem import AGENTMEM_TOOLS
from .agentos_1 import AGENTOS_1_TOOLS
from .memoryos import MEMORYOS_TOOLS

TOOLS = (*AGENTMEM_TOOLS, *AGENTOS_1_TOOLS, *MEMORYOS_TOOLS, *AGENT_MEMORY_TOOLS)
