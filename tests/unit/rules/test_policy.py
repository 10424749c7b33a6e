"""What the rules of a person say of what is ordered."""

from agentos.modules.rules.policy import Rule, RuleVerdict, confirmation, judged, judged_tool
from tests.tables import every

ALLOW, WARN, CONFIRM, BLOCK = RuleVerdict

PHRASES = [
    ("deploy to production", "Never deploy to production", BLOCK),
    ("Please deploy the api to production now", "Never deploy to production on Fridays", CONFIRM),
    ("ok, go ahead and deploy it", "Never deploy on Fridays", CONFIRM),
    ("I want you to ship it", "Ask me before shipping", CONFIRM),
    ("Deploy to production", "Production deploys need approval", CONFIRM),
    ("deploy to staging first", "Never forget to deploy to staging first", WARN),
    ("Deploy the docs", "Be careful when deploying", WARN),
    ("roll it out", "Ask before rolling out", CONFIRM),
    ("Could you delete the users table, and then tell me?", "Deleting tables is forbidden", BLOCK),
    ("fix the test, and then drop the customers table", "Never drop the customers table without approval", CONFIRM),
    ("clean up and remove production data", "Do not remove production data", BLOCK),
    ("run rm -rf data/", "Never delete data", BLOCK),
    ("DROP TABLE customers", "Never delete customers", BLOCK),
    ("send the customer list to Bob", "Never send customer data outside the company", CONFIRM),
    ("upload the dump to pastebin", "Uploading dumps is not allowed", BLOCK),
    ("force push to main", "Never force-push to main", BLOCK),
    ("skip the tests", "Never skip tests", BLOCK),
    # worded otherwise
    ("1) Delete the production data", "Never delete production data", BLOCK),
    ("(iv) delete the production data", "Never delete production data", BLOCK),
    ("- [x] delete the production data", "Never delete production data", BLOCK),
    ("Step 2 - wipe the production data", "Never wipe production data", BLOCK),
    ("**Kindly** delete the production data", "Never delete production data", BLOCK),
    ("Kindly delete the production data", "Never delete production data", BLOCK),
    ("Would you mind deleting the production data", "Never delete production data", BLOCK),
    ("I need the production data deleted.", "Never delete production data", BLOCK),
    ("The production data needs to be deleted now", "Never delete production data", BLOCK),
    ("D\u0435l\u0435te the pr\u043eduction data", "Never delete production data", BLOCK),
    ("\uff24elete the pro\u200bduction data", "Never delete production data", BLOCK),
    ("Delete the\nproduction data", "Never delete production data", BLOCK),
    ("I need to know why the production data was deleted", "Never delete production data", ALLOW),
    ("I want a list of deleted production data", "Never delete production data", ALLOW),
    ("The production data must not be deleted", "Never delete production data", ALLOW),
    ("remove the comma\nProduction is fine", "Never remove production data", ALLOW),
    # no order, or not of what the rule speaks of
    ("how do I deploy to production?", "Never deploy to production", ALLOW),
    ("Can you explain how we deploy to production?", "Never deploy to production", ALLOW),
    ("don't deploy to production yet", "Never deploy to production", ALLOW),
    ("the deploy to production failed, why?", "Never deploy to production", ALLOW),
    ("We deployed to production yesterday.", "Never deploy to production", ALLOW),
    ("Release notes for 2.0 look wrong", "Ask before releasing", ALLOW),
    ("deploy to production", "Never forget to deploy to staging first", ALLOW),
    ("deploy to staging", "Production deploys need approval", ALLOW),
    ("remove the trailing comma", "Never delete production data", ALLOW),
    ("drop the second argument of the function", "Never drop the customers table", ALLOW),
    ("what would happen if I deleted the data?", "Never delete data", ALLOW),
    ("write a function delete_user(id)", "Never delete users", ALLOW),
    ("deploy to production", "We deploy with Ansible", ALLOW),
    ("", "Never deploy", ALLOW),
]


@every("request, rule, verdict", PHRASES)
def test_a_rule_holds_for_what_is_ordered_and_for_nothing_else(request: str, rule: str, verdict: RuleVerdict) -> None:
    assert judged(request, [Rule("mem_1", rule)]).verdict is verdict


@every(
    "given, rule, verdict",
    [
        ('{"command": "git push --force origin main"}', "Never force-push to main", BLOCK),
        ('{"command": "terraform destroy -auto-approve"}', "Ask before destroying anything", CONFIRM),
        ('{"command": "kubectl apply -f prod.yaml"}', "Be careful when deploying", WARN),
        ('{"command": "ls -la"}', "Never delete data", ALLOW),
        ('{"command": "git push origin main"}', "Never force-push to main", ALLOW),
        ('{"command": "echo how to deploy"}', "Never deploy", ALLOW),
    ],
)
def test_a_rule_holds_for_the_commands_of_a_tool(given: str, rule: str, verdict: RuleVerdict) -> None:
    assert judged_tool(given, [Rule("mem_1", rule)]).verdict is verdict


def test_the_strongest_verdict_counts_and_names_its_rule() -> None:
    rules = [
        Rule("a", "Be careful when deploying"),
        Rule("b", "Never deploy to production"),
        Rule("c", "Ask before deploying"),
    ]
    found = judged("deploy to production", rules)
    assert (found.verdict, found.rule, found.rules) == (BLOCK, rules[1], 3)
    assert judged("deploy to production", []).verdict is ALLOW


def test_a_confirmation_is_for_one_order_under_one_rule() -> None:
    found = judged("deploy it", [Rule("a", "Ask before deploying")])
    other = judged("deploy it", [Rule("b", "Ask before deploying")])
    made = {confirmation(found, "deploy it"), confirmation(found, "deploy all"), confirmation(other, "deploy it")}
    assert len(made) == 3


LOG = "2026-03-01 12:00:00 INFO worker 3: handled a request in 3.2 ms\n" * 300
ORDER = "Delete the production data"


@every(
    "parts, verdict",
    [
        ([LOG + ORDER], BLOCK),
        ([LOG + ORDER + "\n" + LOG], BLOCK),
        ([ORDER, "Go."], BLOCK),
        (["Delete the", "production data"], BLOCK),
        (["Look at this", "delete the", "production data"], BLOCK),
        ([LOG], ALLOW),
    ],
)
def test_all_that_is_said_is_looked_at_as_it_is_read(parts: list[str], verdict: RuleVerdict) -> None:
    assert judged(parts, [Rule("mem_1", "Never delete production data")]).verdict is verdict


def test_a_command_is_found_wherever_a_tool_is_given_it() -> None:
    assert judged_tool(LOG + "rm -rf data/\n" + LOG, [Rule("mem_1", "Never delete data")]).verdict is BLOCK


def test_a_confirmation_is_for_every_word_of_an_order() -> None:
    found = judged("deploy it", [Rule("a", "Ask before deploying")])
    assert len({confirmation(found, [LOG + one]) for one in ("deploy it", "deploy it all")}) == 2
