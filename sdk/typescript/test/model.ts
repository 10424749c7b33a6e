// A model that does what a test says.

import { MockLanguageModelV2 } from "ai/test";

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

/** A model that calls each tool in turn, and then says what it was told last. */
export function calling(...calls: [string, object][]): MockLanguageModelV2 {
  let step = 0;
  return new MockLanguageModelV2({
    doGenerate: async () => {
      const call = calls[step++];
      if (call === undefined) {
        return { content: [{ type: "text", text: "done" }], finishReason: "stop", usage, warnings: [] };
      }
      const [toolName, input] = call;
      return {
        content: [{ type: "tool-call", toolCallId: `c${step}`, toolName, input: JSON.stringify(input) }],
        finishReason: "tool-calls",
        usage,
        warnings: [],
      };
    },
  });
}
