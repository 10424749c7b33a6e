"""Two texts tell one fact, or two: what vectors hardly know decides."""

from agentos.modules.memory.sameness import Difference, Wording, is_opposite, tells_the_same
from tests.tables import every

NEAR = 0.92


@every(
    "one, other, same",
    [
        ("The kiln is fired every night at 03:00.", "Every night at 3 am the kiln is fired", True),
        ("The tide gauge listens on 8147", "tide gauge → port 8147", True),
        ("Prints are kept for 30 days", "We keep prints for 30 days", True),
        ("The glaze belongs to Imani", "The owner of the glaze is Imani", True),
        ("Drucke werden 30 Tage aufbewahrt", "Wir bewahren Drucke 30 Tage auf", True),
        ("Each night at 03:30 kilns cool", "Kilns cool at 03:30 each night", True),
        ("Remember that Imani fires the kiln", "Imani fires the kiln", True),
        ("The cat scares the dog", "The dog scares the cat", False),
        ("Address of the kiln: Mill Lane 84", "The kiln is on Mill Lane 84", True),
        ("The depot in Graz has the address Mill Lane 84", "Our Graz depot is on Mill Lane 84", False),
        ("The Graz kiln DB answers on 8147", "The Graz kiln database answers on 8147", True),
        ("The kiln is fired at 03:00", "The kiln is fired at 03:30", False),
        ("The Graz shop is on Mill Lane 84", "Our Graz depot has the address Mill Lane 84", False),
        ("Imani fires the kiln with gas", "With gas Imani cleans the kiln", False),
        ("Firing takes 45 minutes", "It is 45 seconds that firing takes", False),
        ("Imani manages Rufus", "Rufus is Imani's manager", False),
        ("We store glazes in the Graz depot", "In the Linz depot we store glazes", False),
        ("The clay kiln has 16 shelves", "The glass kiln has 16 shelves", False),
        ("Imani fires the kiln", "Imani does not fire the kiln", False),
        ("Imani fires the kiln on Mondays", "On Fridays Imani fires the kiln", False),
        ("Imani hat montags frei", "Freitags hat Imani frei", False),
        ("The glaze belongs to Imani", "The owner of the glaze is Rufus", False),
        ("Imani reports to Rufus", "Rufus reports to Imani", False),
        ("I am allergic to clay", "My son is allergic to clay", False),
        ("The van to Graz leaves at 8:15", "The van from Graz leaves at 8:15", False),
        ("Imani works at the pottery", "Imani used to work at the pottery", False),
        ("The glaze book is read-only", "The glaze book is writable", False),
        ("The yard is open to all visitors", "The yard is open to members", False),
        ("Rufus drinks coffee", "Rufus drinks black coffee", False),
        ("The yard is open to members", "The yard is open to members and guests", False),
    ],
)
def test_two_tell_the_same_only_where_no_number_day_name_or_denial_differs(one: str, other: str, same: bool) -> None:
    assert tells_the_same(Wording(one), Wording(other), NEAR) is same
    assert tells_the_same(Wording(other), Wording(one), NEAR) is same


@every(
    "one, other",
    [
        ("Firing 31 ended at noon", "Firing 31 ended at noon and was repeated"),
        ("Order 6120 is packed", "Order 6120 is packed twice"),
        ("The script mix_clay starts at 04:00", "The script mix_clay starts at 04:00 and crashes"),
        ("Imani drinks 30 ml of syrup", "Imani drinks 30 ml of syrup only at fairs"),
        ("The kiln log is kept at /srv/kiln", "The kiln log archive is kept at /srv/kiln"),
        ("The clay limit is 40 kg", "The clay limit for pupils is 40 kg"),
        ("The stall costs 70 a day", "The stall costs 70 a day plus power"),
        ("The firing on Friday at 8", "Stop the firing on Friday at 8"),
        ("The glaze needs Glazer >= 2.4", "The glaze needs Glazer < 2.4"),
        ("Glazer must stay > 2.4", "To stay, Glazer must be <= 2.4"),
        ("A bowl costs $30", "A bowl costs £30"),
        ("The offset is z = 12", "The offset is z = -12"),
        ("The firmware is written in C++", "The firmware is written in C#"),
        ("The discount is 7%", "The discount is 7 EUR"),
        ("Imani teaches and rents at the mill", "Imani teaches and rented at the mill"),
        ("At the mill, Rufus packs bowls", "Rufus packed bowls at the mill"),
        ("Rufus was the keeper of the kiln", "The keeper of the kiln is Rufus"),
        ("Only Imani may open the kiln", "Imani may open the kiln"),
        ("Bowls above 30 cm need two shelves", "Two shelves need bowls under 30 cm"),
        ("The contact list hangs at gate 3", "The contract list hangs at gate 3"),
        ("The compiler room is on floor 2", "The computer room is on floor 2"),
        ("Shelf 9 holds the product samples", "The production samples are on shelf 9"),
        ("The internal fair has 40 stalls", "The international fair has 40 stalls"),
        ("Mario fires the kiln", "Maria fires the kiln"),
    ],
)
def test_what_one_says_more_its_signs_bounds_and_times_and_words_alike_at_the_beginning_differ(
    one: str, other: str
) -> None:
    assert not tells_the_same(Wording(one), Wording(other), NEAR)
    assert not tells_the_same(Wording(other), Wording(one), NEAR)


@every(
    "one, other",
    [
        ("The kiln needs > 4 kW", "> 4 kW is what the kiln needs"),
        ("The firmware is written in C++", "C++: in it the firmware is written"),
        ("The discount is 7 %", "7% is the discount"),
        ("Imani fires the kiln", "The kiln is fired by Imani"),
        ("The kiln needs clay", "Clay is what kilns need"),
    ],
)
def test_the_same_signs_elsewhere_and_the_passive_are_no_difference(one: str, other: str) -> None:
    assert tells_the_same(Wording(one), Wording(other), NEAR)
    assert tells_the_same(Wording(other), Wording(one), NEAR)


def test_case_and_spaces_are_no_difference_and_far_vectors_are_one() -> None:
    assert tells_the_same(Wording("Fire the  kiln."), Wording("fire the kiln"), 0.0)
    assert not tells_the_same(Wording("Prints are kept for 30 days"), Wording("We keep prints for 30 days"), 0.5)


@every(
    "one, other, differs",
    [
        ("The left kiln is for glazes", "The right kiln is for bricks", True),
        ("In Graz, the depot closes at 17:00", "In Linz, the depot closes at 19:00", True),
        ("Der Ofen im Hof wird morgens geheizt", "Der Ofen im Keller wird abends geheizt", False),
        ("Das rote Tor öffnet um 8", "Das blaue Tor öffnet um 9", True),
        ("Imani lives in Graz", "Imani moved to Linz", False),
        ("The kiln is for glazes", "The kiln is for bricks", False),
        ("The kiln cools on Mondays until 9", "The kiln cools on Fridays until 10", False),
    ],
)
def test_a_sentence_may_say_another_thing_of_something_else(one: str, other: str, differs: bool) -> None:
    assert Difference(Wording(one), Wording(other)).is_of_thing_and_value is differs


@every(
    "one, other, more",
    [
        ("The kiln failed", "The kiln failed at night", True),
        ("The kiln failed", "the kiln failed.", True),
        ("The kiln failed", "The kiln did not fail", False),
        ("The kiln is on", "The kiln is off", False),
        ("The kiln opens in March", "The kiln opens in April", False),
        ("Imani fired the kiln", "Imani sold the press", False),
    ],
)
def test_one_of_two_texts_may_only_say_more(one: str, other: str, more: bool) -> None:
    assert Difference(Wording(one), Wording(other)).is_of_more is more


@every(
    "one, other, denies",
    [
        ("The kiln uses gas", "The kiln does not use gas", True),
        ("Der Ofen nutzt Gas", "Der Ofen nutzt kein Gas", True),
        ("Le four utilise du gaz", "Le four n'utilise pas de gaz", True),
        ("Imani works on Fridays", "Imani doesn't work on Fridays", True),
        ("The kiln is open to visitors", "The kiln isn’t open to visitors", True),
        ("Imani can drive the van", "Imani can't drive the van", True),
        ("The kiln uses gas", "The kiln does not use wood", False),
        ("Imani works on Fridays", "Rufus doesn't work on Fridays", False),
        ("The kiln uses gas", "The kiln uses gas", False),
        ("The kiln is on by default", "The kiln is off by default", True),
        ("The depot is open before noon", "The depot is open after noon", True),
        ("Kilns must be left on at night", "Kilns should be left on at night", False),
        ("Fire the kilns after a holiday", "Fire all kilns after a holiday", False),
        ("The kiln is in the yard", "The kiln is at the yard", False),
        ("The ferry sails from Graz", "The ferry sails to Graz", False),
        ("Imani drives before Rufus", "Rufus drives after Imani", False),
        ("仓库用煤气", "仓库不用煤气", True),
        ("仓库用Bloom", "工厂不用Bloom", False),
        ("窯はガスを使います。", "窯はガスを使いません。", True),
        ("りんごが好きです。", "みかんが好きではありません。", False),
    ],
)
def test_a_text_says_the_opposite_word_for_word(one: str, other: str, denies: bool) -> None:
    assert is_opposite(one, other) is denies
    assert is_opposite(other, one) is denies


def test_what_is_written_in_characters_tells_the_same_only_in_the_same_form():
    assert tells_the_same(Wording("仓库三点关门。"), Wording("仓库三点关门。"), 1.0)
    assert not tells_the_same(Wording("仓库三点关门。"), Wording("仓库五点关门。"), 0.99)
    assert not tells_the_same(Wording("수업은 두 시에 시작한다."), Wording("수업은 네 시에 시작한다."), 0.99)
