show(data => {
  const all = data.results ?? (data.id ? [data] : []);
  const shown = all.map(one => el("article", el("h2", plain(one.action)), about(one.status, `risk ${Number(one.risk).toFixed(2)}`, one.expires_at && `until ${one.expires_at}`),
    el("p", "About"), quoted(one.subject), one.reason ? el("p", "Reason given") : null, one.reason ? quoted(one.reason) : null,
    about(`asked by ${one.requested_by}`, one.decided_at && `decided by ${one.decided_by}`, one.note, one.result),
    one.status === "pending" ? elsewhere(named(one.id) ? `/approvals/${named(one.id)}` : "/approvals") : null));
  const more = (data.total ?? 0) - shown.length;
  return [el("h1", "Requests for your permission"), ...shown, more > 0 ? el("p", `${more} more wait.`) : null,
    shown.length ? null : el("p", "Nothing waits for you.")];
});
