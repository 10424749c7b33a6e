"""What the conformance sets ask a server for by name: tools, prompts and resources that no real server has."""

import json
from typing import Any

import mcp.types as types
from mcp import MCPError
from mcp.server import MCPServer, ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.request_state import RequestStateSecurity

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
TOLD = "A fixture."
OPTIONS = ["option1", "option2", "option3"]
TITLED = [{"const": "value1", "title": "First"}, {"const": "value2", "title": "Second"}]
DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
CHOICES = {
    "untitledSingle": {"type": "string", "enum": OPTIONS},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["One", "Two"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}
Answer = types.CallToolResult | types.InputRequiredResult


def server() -> MCPServer[Any]:
    """A server with all of them."""
    made: MCPServer[Any] = MCPServer(
        "fixtures", version="1", request_state_security=RequestStateSecurity(keys=[b"k" * 32])
    )
    _contents(made)
    _asking_on_a_stream(made)
    _asking_in_the_result(made)
    _resources(made)
    _prompts(made)
    _what_changes(made)
    return made


def image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PIXEL, mime_type="image/png")


def embedded(uri: str, text: str, kind: str = "text/plain") -> types.EmbeddedResource:
    resource = types.TextResourceContents(uri=uri, mime_type=kind, text=text)
    return types.EmbeddedResource(type="resource", resource=resource)


def result_of(*content: Any) -> types.CallToolResult:
    shown = [types.TextContent(type="text", text=one) if isinstance(one, str) else one for one in content]
    return types.CallToolResult(content=shown)


def form(message: str, properties: dict[str, Any], *required: str) -> types.ElicitRequest:
    schema = {"type": "object", "properties": properties, "required": list(required or properties)}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def sample(text: str) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=[message], max_tokens=100))


def asks(state: str | None = None, **requests: Any) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=requests, request_state=state)


NAME = {"name": {"type": "string"}}


def _contents(made: MCPServer[Any]) -> None:
    @made.tool(description=TOLD)
    def test_simple_text() -> types.CallToolResult:
        return result_of("This is a simple text response for testing.")

    @made.tool(description=TOLD)
    def test_image_content() -> types.CallToolResult:
        return result_of(image())

    @made.tool(description=TOLD)
    def test_audio_content() -> types.CallToolResult:
        return result_of(types.AudioContent(type="audio", data=SILENCE, mime_type="audio/wav"))

    @made.tool(description=TOLD)
    def test_embedded_resource() -> types.CallToolResult:
        return result_of(embedded("test://embedded-resource", "This is an embedded resource content."))

    @made.tool(description=TOLD)
    def test_multiple_content_types() -> types.CallToolResult:
        mixed = embedded(
            "test://mixed-content-resource", json.dumps({"test": "data", "value": 123}), "application/json"
        )
        return result_of("Multiple content types test:", image(), mixed)

    @made.tool(description=TOLD)
    def test_error_handling() -> types.CallToolResult:
        raise ToolError("This tool intentionally returns an error for testing")

    @made.tool(description=TOLD)
    async def test_tool_with_progress(ctx: Context[Any]) -> types.CallToolResult:
        for done in (0, 50, 100):
            await ctx.report_progress(done, 100, f"{done} of 100")
        return result_of("done")


def _asking_on_a_stream(made: MCPServer[Any]) -> None:
    """What is told to and asked of the client while a call lasts: the older protocol alone."""

    @made.tool(description=TOLD)
    async def test_tool_with_logging(ctx: Context[Any]) -> types.CallToolResult:
        for step in ("started", "is under way", "ended"):
            await ctx.info(f"it {step}")
        return result_of("done")

    @made.tool(description=TOLD)
    async def test_logging_tool(ctx: Context[Any]) -> types.CallToolResult:
        return result_of("nobody asked for logs")

    @made.tool(description=TOLD)
    async def test_sampling(prompt: str, ctx: Context[Any]) -> types.CallToolResult:
        params = sample(prompt).params
        answer = await ctx.session.create_message(params.messages, max_tokens=params.max_tokens)
        return result_of(f"LLM response: {answer.content}")

    async def ask(ctx: Context[Any], message: str, properties: dict[str, Any], *required: str) -> types.CallToolResult:
        params = form(message, properties, *required).params
        answer = await ctx.session.elicit_form(message, params.requested_schema, ctx.request_context.request_id)
        return result_of(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")

    @made.tool(description=TOLD)
    async def test_elicitation(message: str, ctx: Context[Any]) -> types.CallToolResult:
        return await ask(ctx, message, {"username": {"type": "string"}, "email": {"type": "string"}})

    @made.tool(description=TOLD)
    async def test_elicitation_sep1034_defaults(ctx: Context[Any]) -> types.CallToolResult:
        return await ask(ctx, "Please provide user information", DEFAULTS)

    @made.tool(description=TOLD)
    async def test_elicitation_sep1330_enums(ctx: Context[Any]) -> types.CallToolResult:
        return await ask(ctx, "Please select", CHOICES)


def _asking_in_the_result(made: MCPServer[Any]) -> None:
    """What is asked of the client in a result, which it answers by calling again: the newer protocol alone."""

    @made.tool(description=TOLD)
    def test_streaming_elicitation(ctx: Context[Any]) -> Answer:
        return result_of("answered") if ctx.input_responses else asks(user_name=form("What is your name?", NAME))

    @made.tool(description=TOLD)
    def test_input_required_result_elicitation(ctx: Context[Any]) -> Answer:
        answer = (ctx.input_responses or {}).get("user_name")
        if not isinstance(answer, types.ElicitResult) or not answer.content or "name" not in answer.content:
            return asks(user_name=form("What is your name?", NAME))
        return result_of(f"Hello, {answer.content['name']}!")

    @made.tool(description=TOLD)
    def test_input_required_result_sampling(ctx: Context[Any]) -> Answer:
        answer = (ctx.input_responses or {}).get("capital_question")
        return (
            result_of(f"It is {answer}") if answer else asks(capital_question=sample("What is the capital of France?"))
        )

    @made.tool(description=TOLD)
    def test_input_required_result_list_roots(ctx: Context[Any]) -> Answer:
        answer = (ctx.input_responses or {}).get("client_roots")
        return result_of(f"They are {answer}") if answer else asks(client_roots=types.ListRootsRequest())

    confirm = form("Please confirm", {"ok": {"type": "boolean"}})

    @made.tool(description=TOLD)
    def test_input_required_result_request_state(ctx: Context[Any]) -> Answer:
        return result_of("state-ok") if ctx.request_state == "asked" else asks("asked", confirm=confirm)

    @made.tool(description=TOLD)
    def test_input_required_result_tampered_state(ctx: Context[Any]) -> Answer:
        return result_of("state-ok") if ctx.request_state == "asked" else asks("asked", confirm=confirm)

    @made.tool(description=TOLD)
    def test_input_required_result_multiple_inputs(ctx: Context[Any]) -> Answer:
        if len(ctx.input_responses or {}) == 3:
            return result_of("all answered")
        return asks(
            "asked",
            user_name=form("What is your name?", NAME),
            greeting=sample("Generate a greeting"),
            client_roots=types.ListRootsRequest(),
        )

    @made.tool(description=TOLD)
    def test_input_required_result_multi_round(ctx: Context[Any]) -> Answer:
        answers = ctx.input_responses or {}
        if "step2" in answers and ctx.request_state == "second":
            return result_of("both answered")
        if "step1" in answers and ctx.request_state == "first":
            colour = {"color": {"type": "string"}}
            return asks("second", step2=form("Step 2: What is your favorite color?", colour))
        return asks("first", step1=form("Step 1: What is your name?", NAME))

    @made.tool(description=TOLD)
    def test_input_required_result_capabilities(ctx: Context[Any]) -> Answer:
        able = ctx.client_capabilities or types.ClientCapabilities()
        requests: dict[str, Any] = {}
        if able.sampling is not None:
            requests["greeting"] = sample("Generate a greeting")
        if able.elicitation is not None:
            requests["user_name"] = form("What is your name?", NAME)
        return asks(**requests) if requests and not ctx.input_responses else result_of("nothing to ask")

    @made.tool(description=TOLD)
    def test_missing_capability(ctx: Context[Any]) -> types.CallToolResult:
        if ctx.client_capabilities is None or ctx.client_capabilities.sampling is None:
            needed = {"requiredCapabilities": {"sampling": {}}}
            raise MCPError(code=types.MISSING_REQUIRED_CLIENT_CAPABILITY, message="sampling is needed", data=needed)
        return result_of("it can")

    @made.prompt(description=TOLD)
    def test_input_required_result_prompt(ctx: Context) -> Any:  # type: ignore[type-arg]
        if not ctx.input_responses:
            return asks(user_context=form("What context should the prompt use?", {"context": {"type": "string"}}))
        return [{"role": "user", "content": {"type": "text", "text": "With that context"}}]


def _resources(made: MCPServer[Any]) -> None:
    @made.resource("test://static-text", mime_type="text/plain")
    def static_text() -> str:
        return "This is the content of the static text resource."

    @made.resource("test://static-binary", mime_type="image/png")
    def static_binary() -> bytes:
        import base64

        return base64.b64decode(PIXEL)

    @made.resource("test://watched-resource", mime_type="text/plain")
    def watched() -> str:
        return "Watched resource content"

    @made.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


def _prompts(made: MCPServer[Any]) -> None:
    def message(content: Any) -> dict[str, Any]:
        return {"role": "user", "content": content.model_dump(by_alias=True, exclude_none=True)}

    def text(content: str) -> dict[str, Any]:
        return message(types.TextContent(type="text", text=content))

    @made.prompt(description=TOLD)
    def test_simple_prompt() -> Any:
        return [text("This is a simple prompt for testing.")]

    @made.prompt(description=TOLD)
    def test_prompt_with_arguments(arg1: str, arg2: str) -> Any:
        return [text(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")]

    @made.prompt(description=TOLD)
    def test_prompt_with_embedded_resource(resourceUri: str) -> Any:
        resource = message(embedded(resourceUri, "Embedded resource content for testing."))
        return [resource, text("Please process the embedded resource above.")]

    @made.prompt(description=TOLD)
    def test_prompt_with_image() -> Any:
        return [message(image()), text("Please analyze the image above.")]

    @made.completion()
    async def complete(ref: Any, argument: Any, context: Any) -> types.Completion:
        return types.Completion(values=[], total=0, has_more=False)


def _what_changes(made: MCPServer[Any]) -> None:
    """Changes that a subscriber is told of, and what the older protocol sets on a connection."""

    @made.tool(description=TOLD)
    async def test_trigger_tool_change(ctx: Context[Any]) -> types.CallToolResult:
        await ctx.notify_tools_changed()
        return result_of("told")

    @made.tool(description=TOLD)
    async def test_trigger_prompt_change(ctx: Context[Any]) -> types.CallToolResult:
        await ctx.notify_prompts_changed()
        return result_of("told")

    async def nothing(context: ServerRequestContext[Any, Any], params: Any) -> types.EmptyResult:
        return types.EmptyResult()

    low = made._lowlevel_server
    for method, params in (
        ("logging/setLevel", types.SetLevelRequestParams),
        ("resources/subscribe", types.SubscribeRequestParams),
        ("resources/unsubscribe", types.UnsubscribeRequestParams),
    ):
        low.add_request_handler(method, params, nothing)
