show(data => {
  const pairs = (data.questions ?? []).map(one => pair(one, data.agent_id));
  const contests = (data.contested ?? []).map(one => el("article", el("h2", "Which of these is true?"),
    classed("pair", el("div", statement("Newer", one.newer), ...(one.older ?? []).map(each => statement("Older", each)))),
    elsewhere(named(one.approval_id) ? `/approvals/${named(one.approval_id)}` : "/contested")));
  return [el("h1", "Open questions"), ...pairs, ...contests,
    pairs.length + contests.length ? null : el("p", "Nothing is open.")];
});
