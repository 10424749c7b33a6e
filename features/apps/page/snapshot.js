show(data => {
  const of = data.agent_id;
  const given = of ? {agent_id: of} : {};
  const counts = data.performance_summary ?? {};
  const questions = (data.questions ?? []).map(one => pair({older: {id: one.id, content: one.content}, newer: {id: one.by, content: one.newer}}, of));
  const seen = (one, ...choices) => named(one.id) ? offered(...choices.map(([label, status]) =>
    act(label, "insight_update", {...given, insight_id: one.id, status}, `${one.id} is ${status}.`))) : null;
  const item = (...inside) => el("div", ...inside);
  const goal = one => {
    const bar = el("progress");
    bar.max = 1;
    bar.value = Number(one.progress) || 0;
    bar.setAttribute("aria-label", "progress");
    return item(quoted(one.title), bar, about(`${Math.round(bar.value * 100)} % done`, one.deadline && `due ${one.deadline}`));
  };
  return [el("h1", "What this session begins with"),
    about(plain(of), `${counts.total_memories ?? 0} memories`, `${counts.completed_goals ?? 0} of ${counts.total_goals ?? 0} goals completed`),
    ...section("Waiting for you", (data.pending_approvals ?? []).map(one => item(about(one.action, one.until && `until ${one.until}`), quoted(one.subject),
      elsewhere(named(one.id) ? `/approvals/${named(one.id)}` : "/approvals")))),
    ...questions,
    ...section("Goals", (data.active_goals ?? []).map(goal)),
    ...section("Memories", (data.top_memories ?? []).map(one => item(quoted(one.content), about(one.date, one.label, one.source && `by ${one.source}`)))),
    ...section("Patterns", (data.recent_patterns ?? []).map(one => item(quoted(one.description), about(`${one.pattern_type} ×${one.frequency}`, one.suggested_action)))),
    ...section("Insights", (data.proactive_insights ?? []).map(one => item(quoted(one.text), seen(one, ["Seen", "acknowledged"], ["Done", "done"], ["Dismiss", "dismissed"])))),
    ...section("Suggested tasks", (data.autonomous_tasks ?? []).map(one => item(quoted(one.text), seen(one, ["Done", "done"], ["Dismiss", "dismissed"])))),
    data.not_shown ? el("p", `${data.not_shown} more memories are not shown.`) : null];
});
