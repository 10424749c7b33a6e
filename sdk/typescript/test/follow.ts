// Prints the subject of every event, for a test that kills the server meanwhile.

import { AgentOS } from "agentos-client";

for await (const event of new AgentOS().events({ cursor: 0 })) {
  console.log(event.subject);
}
