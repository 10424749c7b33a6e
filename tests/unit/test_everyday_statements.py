"""What stores make of everyday statements: what ends an older one, and what leaves it alone."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from agentos.modules.truth.judgement import judge
from agentos.modules.truth.models import Action, Judgement, Statement
from agentos.modules.truth.statements import read_statement

EARLIER, LATER = datetime(2026, 3, 10, 12, tzinfo=UTC), datetime(2026, 5, 20, 12, tzinfo=UTC)

ENDED = (
    ("Ian works at Google.", "Ian is no longer at Google, he's at Meta now"),
    ("Ian works at Google.", "Ian quit Google and joined Meta."),
    ("The budget is 50,000 euros.", "The budget is 60,000 euros."),
    ("The price is 50 dollars.", "The price is 60 dollars."),
    ("The course costs 900 euros.", "The course costs 950 euros."),
    ("The standup is at 9:30.", "The standup is at 10:00 now."),
    ("The standup is at 9:30.", "The standup is at 10:00."),
    ("The standup is at 9:30.", "As of today the standup is at 10:00."),
    ("Ines is on call for billing.", "Karl is on call for billing now."),
    ("The rent is 900 euros.", "The rent is 950 euros."),
    ("I use Vim.", "I use Emacs now."),
    ("The API is on port 8080.", "The API isn't on 8080 any more, it's on 9090."),
    ("I live in Berlin.", "I no longer live in Berlin, I'm in Potsdam now."),
    ("I live in Berlin.", "I don't live in Berlin any more but in Potsdam."),
    ("Ian works at Google.", "Ian doesn't work at Google any more, he works at Meta."),
    ("Tom works at Initech.", "Tom got laid off."),
    ("Tom works at Initech.", "Tom lost his job."),
    ("Tom works at Initech.", "Tom was fired."),
    ("Tom works at Initech.", "Tom resigned."),
    ("Tom works at Initech.", "Tom quit."),
    ("I live in Berlin.", "I've lived in Vienna since 2025."),
    ("I work at Google.", "I have worked at Meta since 2025."),
    ("I prefer tabs.", "I prefer spaces."),
    ("I'm a lawyer.", "I'm a teacher now."),
    ("My usual order is a latte.", "My usual order is a flat white."),
    ("I always drink a latte.", "I always order a flat white."),
    ("Ann's birthday is 4 May.", "Ann's birthday is actually 14 May."),
    ("My gym is McFit.", "My gym is FitX now."),
    ("My car is a Golf.", "My car is a Tesla now."),
    ("My dog is called Rex.", "My dog is called Bello."),
    ("I prefer short answers.", "I prefer detailed answers."),
    ("The retro is on Friday.", "The retro is on Thursday."),
    ("The deadline is Friday.", "The deadline is Thursday."),
    ("My hourly rate is 80 euros.", "My hourly rate is 90 euros."),
    ("The standup is at 9.", "The standup is at 10."),
    ("Our CI is Jenkins.", "We moved from Jenkins to GitHub Actions."),
)

LEFT_ALONE = (
    ("The price is 50 dollars.", "The budget is 9,000 dollars."),
    ("I pay in euros.", "The price is 50 dollars."),
    ("Our currency is dollars.", "The budget is 50,000 euros."),
    ("Leo is my son.", "Max is my son."),
    ("Ann is Tom's daughter.", "Eva is Tom's daughter."),
    ("Tom is Ann's son.", "Ben is Ann's son."),
    ("Leo is our son.", "Max is our son."),
    ("Maria works at Siemens.", "Maria works with Tom."),
    ("Maria works at Siemens.", "Maria works with React."),
    ("Maria works at Siemens.", "Maria works with Bosch."),
    ("Dana works for Initech.", "Dana works with Kofi."),
    ("The standup is at 9:30.", "The standup is at 10:00 today."),
    ("The standup is at 9:30.", "The standup is at 10:00 this Friday."),
    ("The standup is at 9:30.", "Tomorrow the standup is at 10:00."),
    ("The standup is at 9:30.", "Today the standup was at 10:00."),
    ("The meeting is in Room 4.", "The meeting is in Room 7 tomorrow."),
    ("Ines is on call for billing.", "Karl is on call for billing this week."),
    ("Ines is on call for billing.", "Karl is on call for billing today."),
    ("The standup is on Mondays.", "The standup is on Tuesday this week."),
    ("The standup is at 9:30.", "The standup is at 10:00 on Fridays."),
    ("The office closes at 18:00.", "The office closes at 14:00 on Friday."),
    ("My desk is in room 12.", "My desk is in room 14 today."),
    ("Tom works at Initech.", "Tom is at Globex today."),
    ("I have an iPhone 15.", "After the lake incident Ana got the Pixel 9 as a replacement device."),
    ("I have an iPhone 15.", "Ana got the Pixel 9 as a replacement device."),
    ("Ann is my partner.", "Acme is our partner."),
    ("My girlfriend is Ann.", "Acme is our partner."),
    ("Acme is our partner.", "Globex is our partner."),
    ("Bob is the CEO of Acme.", "Eva leads Acme's design team."),
    ("I use MacOS.", "I use Linux at work."),
    ("I use Vim.", "I use VS Code at work."),
    ("I use Vim.", "I use Emacs for Lisp."),
    ("I prefer tea.", "I prefer coffee in the morning."),
    ("Acme is our customer.", "Globex is our customer."),
    ("Acme is our vendor.", "Globex is our vendor."),
    ("Ann is my client.", "Bob is my client."),
    ("Ann is a maintainer of Atlas.", "Bob is a maintainer of Atlas."),
    ("Ann is my roommate.", "Bob is my roommate."),
    ("Ann is my teacher.", "Bob is my teacher."),
    ("The office is in Berlin.", "The office is on the third floor."),
    ("The config file is config.yaml.", "The config file is in /etc/app."),
    ("The limit is 100 requests per minute.", "The limit is 1000 requests per day."),
    ("My favourite restaurant is Noma.", "My favourite book is Dune."),
    ("My surname is Meier.", "My name is Tom."),
    ("My salary is 5000 euros.", "The API isn't on 8080 any more, it's on 9090."),
    ("The gym is called Zest.", "At university I used Emacs."),
    ("My day off is Friday.", "On Mondays I work from home."),
    ("My day off is Friday.", "Every Friday I work from home."),
    ("I'm a lawyer.", "I'm a light sleeper."),
    ("I'm a lawyer.", "I'm a picky eater."),
    ("I'm a lawyer.", "I'm a coffee drinker."),
    ("I'm a lawyer.", "I'm a cancer survivor."),
    ("I'm a lawyer.", "I'm a hobby photographer."),
    ("I'm a lawyer.", "I'm impatient."),
    ("My mum is a nurse.", "My mum is a heavy drinker."),
    ("My brother is a pilot.", "My brother is a chess player."),
    ("Paul is a plumber.", "Paul is a great cook."),
    ("Paul is a plumber.", "Paul is a volunteer firefighter."),
    ("My wife is a doctor.", "My wife is pregnant."),
    ("I like coffee.", "I like tea."),
    ("I like coffee.", "I like dark chocolate."),
    ("I drink tea.", "I don't like tea."),
    ("My cat is Minka.", "My cat is 4 years old."),
    ("My dog is Rex.", "My dog is 5."),
    ("My dog is a Labrador.", "My dog is black."),
    ("My dog is Rex.", "My dog is afraid of fireworks."),
    ("My hotel is the Ibis.", "My hotel is in Trastevere."),
    ("My bank is ING.", "My bank is on Main Street."),
    ("My school is Lincoln High.", "My school is on Elm Street."),
    ("I have German citizenship.", "My passport is in the desk."),
    ("I'm married to Ann.", "I'm with Paul now, we're watching football."),
    ("I'm vegetarian.", "I'm on a gluten-free diet."),
    ("My birthday is 4 May.", "I was born in 1990."),
    ("I'm from Germany.", "I'm from Munich."),
    ("I live in Germany.", "I live in Hamburg."),
    ("Paul lives in Italy.", "Paul lives in Rome."),
    ("My phone is an iPhone 13.", "My wife's phone is a Pixel 9."),
    ("Tom is on call.", "Tom isn't on call today."),
    ("Tom leads the platform team.", "Tom isn't leading the platform team this week."),
    ("The meeting is at 10.", "The meeting isn't at 10 this week."),
    ("Tom works at Initech.", "Tom isn't at Initech today."),
    ("The standup is at 9:30.", "The standup isn't at 9:30 today."),
    ("The retro is on Friday.", "The retro isn't on Friday this week."),
    ("The standup is at 9:30.", "The standup is not at 9:30 tomorrow."),
    ("Sarah is my manager.", "Peter is my manager while Sarah is away."),
    ("The product owner is Tom.", "The product owner is Lena while Tom is away."),
    ("My laptop is a ThinkPad.", "My laptop is a MacBook while the ThinkPad is being repaired."),
    ("Ines is on call for billing.", "Karl is on call for billing because Ines is ill."),
    ("Tom leads Atlas.", "Tom stepped down as lead of Atlas."),
    ("We use Datadog for logs.", "We use Sentry for errors."),
    ("Keep answers short.", "Keep answers friendly."),
    ("I prefer short answers.", "I prefer friendly answers."),
    ("Tom is a developer.", "Tom is a freelancer."),
    ("I'm a developer.", "I'm a contractor."),
    ("The meeting is weekly.", "The meeting is on Tuesday."),
    ("The retro is on Friday.", "The retro is every two weeks."),
    ("The deadline is Friday.", "The deadline is at noon."),
    ("The deadline is Friday.", "The deadline is at 5 pm."),
    ("My hourly rate is 80 euros.", "My daily rate is 640 euros."),
)

SAID_AGAIN = (("The budget is 50,000 euros.", "The budget is €50k."),)

ENDED_LATER = (
    ("The rent is 900 euros.", "The rent goes up to 950 euros on 1 July."),
    ("I work at Siemens.", "I'm joining Bosch on 1 July."),
    ("Tom leads Atlas.", "On 1 July Ana takes over Atlas."),
)


@dataclass(frozen=True)
class Claim:
    """A memory, as judgement sees it."""

    id: str
    content: str
    occurred_at: datetime
    slot: Statement | None
    status: str = "active"
    confidence: float = 0.7
    trust: float = 1.0
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    confirmations: int = 0
    rejections: int = 0


def claim(name: str, text: str, at: datetime) -> Claim:
    said = read_statement(text, at)
    return Claim(name, text, at, said, valid_from=said.since if said else None, valid_to=said.until if said else None)


def judged(earlier: str, later: str) -> Judgement | None:
    """What becomes of two statements; None where they do not meet."""
    old, new = claim("old", earlier, EARLIER), claim("new", later, LATER)
    if old.slot is None or new.slot is None:
        return None
    if (old.slot.subject, old.slot.attribute) != (new.slot.subject, new.slot.attribute):
        return None
    return judge(new, [old])


@pytest.mark.parametrize(("earlier", "later"), ENDED)
def test_a_later_statement_ends_an_earlier_one(earlier: str, later: str) -> None:
    found = judged(earlier, later)
    assert found is not None and found.action in (Action.SUPERSEDE, Action.CLOSE, Action.CORRECT)


@pytest.mark.parametrize(("earlier", "later"), LEFT_ALONE)
def test_what_is_true_beside_it_leaves_an_earlier_one_alone(earlier: str, later: str) -> None:
    found = judged(earlier, later)
    assert found is None or found.action is Action.ADD


@pytest.mark.parametrize(("earlier", "later"), SAID_AGAIN)
def test_the_same_in_another_form_confirms(earlier: str, later: str) -> None:
    found = judged(earlier, later)
    assert found is not None and found.action is Action.CONFIRM


@pytest.mark.parametrize(("earlier", "later"), ENDED_LATER)
def test_what_is_announced_ends_an_earlier_one_on_its_day(earlier: str, later: str) -> None:
    found = judged(earlier, later)
    assert found is not None and found.action is Action.SUPERSEDE
    assert found.revised["old"].valid_to == datetime(2026, 7, 1, tzinfo=UTC)
