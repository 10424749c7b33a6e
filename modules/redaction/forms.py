"""Secrets known by their own form: tokens of known formats, and numbers that must not be stored.

Of tokens each kind has the words that must occur and its pattern.

A pattern is compiled when one of its words occurs. None can take more than linear time: repetitions are not nested,
and what a match begins with does not occur in an unbounded repetition.
"""

from collections.abc import Iterator

from ..records import dataclass
from .placeholders import is_scrambled
from .spans import SecretSpan, compiled

_W = r"[A-Za-z0-9_-]"
_BEGIN = r"(?<![A-Za-z0-9])"
_END = r"(?![A-Za-z0-9])"


@dataclass(frozen=True, slots=True)
class TokenKind:
    """A kind of token. The first group of its pattern, if there is one, is the secret; otherwise the whole match is."""

    kind: str
    words: tuple[str, ...]
    pattern: str

    @property
    def spaced(self) -> bool:
        """Return whether the pattern has a space, so that a token is more than one word."""
        return " " in self.pattern


def _kind(kind: str, words: str, pattern: str) -> TokenKind:
    return TokenKind(kind, tuple(words.split()), _BEGIN + pattern + _END)


def _glued(kind: str, words: str, pattern: str) -> TokenKind:
    """Return a kind so distinct that it is matched right after other characters too: `session-idghp_…`."""
    return TokenKind(kind, tuple(words.split()), pattern + _END)


def _long(kind: str, words: str, pattern: str) -> TokenKind:
    """Return a kind that may be very long: it never begins inside a run, or each place of one would be tried."""
    return TokenKind(kind, tuple(words.split()), r"(?<![A-Za-z0-9._-])" + pattern + _END)


KINDS = (
    # Clouds
    _kind("aws-access-key", "AKIA ASIA ABIA ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    _kind("aws-bedrock-key", "ABSK", r"ABSK[A-Za-z0-9+/]{60,400}={0,2}"),
    _kind("google-api-key", "AIza", rf"AIza{_W}{{35}}"),
    _long("google-oauth-token", "ya29.", r"ya29\.[A-Za-z0-9_.-]{20,2048}"),
    _kind("google-refresh-token", "1//0", rf"1//0{_W}{{30,512}}"),
    _kind("google-client-secret", "GOCSPX-", rf"GOCSPX-{_W}{{20,60}}"),
    _kind("azure-client-secret", "Q~", r"[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"),
    _kind("azure-devops-token", "AZDO", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    _kind("azure-storage-key", "AccountKey= SharedAccessKey=", r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,128}={0,2})"),
    _kind("alibaba-access-key", "LTAI", r"LTAI[A-Za-z0-9]{12,24}"),
    _kind("tencent-secret-id", "AKID", r"AKID[A-Za-z0-9]{32}"),
    _kind("digitalocean-token", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _kind("heroku-api-key", "HRKU-", rf"HRKU-{_W}{{36,80}}"),
    _kind("cloudflare-ca-key", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    _long("flyio-token", "FlyV1", r"FlyV1 fm\d_[A-Za-z0-9+/=,_-]{40,4096}"),
    _long("flyio-token", "fm1 fm2_", r"fm(?:1[ar]|2)_[A-Za-z0-9+/=_-]{60,4096}"),
    _kind("netlify-token", "nfp_", r"nfp_[A-Za-z0-9]{36,48}"),
    _kind("render-api-key", "rnd_", r"rnd_[A-Za-z0-9]{24,48}"),
    _kind("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", r"vc[piark]_[A-Za-z0-9]{24,80}"),
    _kind("supabase-key", "sbp_ sb_secret_", rf"(?:sbp_[a-f0-9]{{40}}|sb_secret_{_W}{{20,60}})"),
    _kind("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9=._-]{32,80}"),
    _kind("databricks-token", "dapi", r"dapi[a-f0-9]{32}(?:-\d)?"),
    _kind("tailscale-key", "tskey-", rf"tskey-[a-z]{{2,12}}-{_W}{{16,100}}"),
    # Code forges, registries and builds
    _glued("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    _glued("github-token", "github_pat_", r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{40,100}"),
    _glued("gitlab-token", "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-", rf"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-{_W}{{20,300}}"),
    _kind("gitlab-token", "GR1348941", rf"GR1348941{_W}{{20,60}}"),
    _kind("bitbucket-password", "ATBB", r"ATBB[A-Za-z0-9_=.-]{24,60}"),
    _kind("atlassian-token", "ATATT3 ATCTT3", r"AT[AC]TT3[A-Za-z0-9_=-]{50,300}"),
    _glued("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _kind("pypi-token", "pypi-AgE", rf"pypi-AgE{_W}{{50,400}}"),
    _kind("rubygems-key", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    _kind("crates-token", "cio", r"cio[A-Za-z0-9]{32}"),
    _kind("nuget-key", "oy2", r"oy2[a-z0-9]{43}"),
    _kind("clojars-token", "CLOJARS_", r"CLOJARS_[a-z0-9]{60}"),
    _kind("docker-token", "dckr_", rf"dckr_(?:pat|oat)_{_W}{{20,80}}"),
    _kind("jfrog-token", "AKCp", r"AKCp[A-Za-z0-9]{60,80}"),
    _kind("jfrog-token", "cmVmdGtu", r"cmVmdGtu[A-Za-z0-9]{56}"),
    _kind("circleci-token", "CCIPAT_ CCIPRJ_", rf"CCIP(?:AT|RJ)_{_W}{{40,100}}"),
    _kind("buildkite-token", "bkua_", r"bkua_[a-f0-9]{40}"),
    _kind("sonarqube-token", "sqp_ squ_ sqa_", r"sq[pua]_[a-f0-9]{40}"),
    _kind("terraform-token", ".atlasv1.", rf"[A-Za-z0-9]{{14}}\.atlasv1\.{_W}{{60,80}}"),
    _kind("pulumi-token", "pul-", r"pul-[a-f0-9]{40}"),
    _kind("vault-token", "hvs. hvb. hvr.", rf"hv[sbr]\.{_W}{{24,400}}"),
    _kind("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    _kind("snyk-token", "snyk_", r"snyk_[a-z]{2,4}\.[A-Za-z0-9._-]{20,200}"),
    # Models
    _glued("anthropic-key", "sk-ant-", rf"sk-ant-{_W}{{24,200}}"),
    _kind("openrouter-key", "sk-or-v1-", r"sk-or-v1-[a-f0-9]{64}"),
    _glued("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", rf"sk-(?:proj|svcacct|admin|None)-{_W}{{20,300}}"),
    _kind("openai-key", "sk-", r"sk-[A-Za-z0-9]{32,64}"),
    _kind("huggingface-token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,60}"),
    _kind("replicate-token", "r8_", r"r8_[A-Za-z0-9]{37,40}"),
    _kind("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{48,60}"),
    _kind("xai-key", "xai-", r"xai-[A-Za-z0-9]{70,90}"),
    _kind("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{40,64}"),
    _kind("nvidia-key", "nvapi-", rf"nvapi-{_W}{{60,80}}"),
    _kind("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    _kind("langfuse-key", "sk-lf-", r"sk-lf-[a-f0-9]{8}-[a-f0-9-]{20,40}"),
    _kind("tavily-key", "tvly-", rf"tvly-{_W}{{28,60}}"),
    _kind("pinecone-key", "pcsk_", r"pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,80}"),
    _kind("firecrawl-key", "fc-", r"fc-[a-f0-9]{32}"),
    _kind("mem0-key", "m0-", r"m0-[A-Za-z0-9]{40}"),
    # Messages and mail
    _kind("slack-token", "xox", r"xox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,255}"),
    _kind("slack-token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,255}"),
    _kind("discord-token", ".", r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}"),
    _kind("telegram-token", ":AA", rf"\d{{8,10}}:AA{_W}{{32,34}}"),
    _kind("twilio-key", "SK", r"SK[0-9a-f]{32}"),
    _kind("sendgrid-key", "SG.", rf"SG\.{_W}{{16,32}}\.{_W}{{16,64}}"),
    _kind("mailgun-key", "key-", r"key-[0-9a-f]{32}"),
    _kind("mailchimp-key", "-us", r"[0-9a-f]{32}-us\d{1,2}"),
    _kind("brevo-key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    _kind("resend-key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,40}"),
    # Money and shops
    _glued("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,250}"),
    _kind("webhook-secret", "whsec_", r"whsec_[A-Za-z0-9+/]{24,100}={0,2}"),
    _kind("shopify-token", "shpat_ shpca_ shppa_ shpss_ shptka_", r"shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32}"),
    _kind("square-token", "EAAA sq0atp- sq0csp-", rf"(?:EAAA{_W}{{60}}|sq0(?:atp|csp)-{_W}{{22,43}})"),
    _kind("facebook-token", "EAA", r"EAA[A-Za-z0-9]{80,400}"),
    _kind("braintree-token", "access_token$", r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}"),
    _kind("plaid-token", "access-production- access-sandbox- access-development-", r"access-(?:production|sandbox|development)-[a-f0-9]{8}-[a-f0-9-]{27}"),
    _kind("flutterwave-key", "FLWSECK", r"FLWSECK(?:_TEST)?-[a-f0-9]{32}-X"),
    _kind("shippo-token", "shippo_", r"shippo_(?:live|test)_[a-f0-9]{40}"),
    _kind("duffel-token", "duffel_", rf"duffel_(?:test|live)_{_W}{{40,50}}"),
    _kind("easypost-key", "EZAK EZTK", r"EZ[AT]K[A-Za-z0-9]{54}"),
    # Tools that teams work with
    _kind("grafana-token", "glsa_ glc_", r"(?:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2})"),
    _kind("newrelic-key", "NRAK- NRII- NRJS-", rf"NR(?:AK|II|JS)-{_W}{{16,40}}"),
    _kind("sentry-token", "sntrys_ sntryu_", r"(?:sntryu_[a-f0-9]{64}|sntrys_eyJ[A-Za-z0-9+/=_-]{60,600})"),
    _kind("dynatrace-token", "dt0c01. dt0s16.", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _kind("posthog-key", "phx_", r"phx_[A-Za-z0-9]{40,60}"),
    _kind("launchdarkly-key", "sdk- api-", r"(?:sdk|api)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}"),
    _kind("linear-key", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{40,64}"),
    _kind("notion-token", "ntn_ secret_", r"(?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43})"),
    _kind("airtable-token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    _kind("figma-token", "figd_ figo_ figr_", rf"fig[dor]_{_W}{{36,60}}"),
    _kind("clickup-token", "pk_", r"pk_\d{5,12}_[A-Z0-9]{32}"),
    _kind("postman-key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _kind("contentful-token", "CFPAT-", rf"CFPAT-{_W}{{43}}"),
    _long("dropbox-token", "sl.", rf"sl\.{_W}{{100,1500}}"),
    _kind("typeform-token", "tfp_", r"tfp_[A-Za-z0-9_.=-]{40,80}"),
    _kind("readme-key", "rdme_", r"rdme_[a-z0-9]{70}"),
    _kind("prefect-key", "pnu_", r"pnu_[A-Za-z0-9]{36}"),
    _long("mapbox-token", "sk.eyJ", rf"sk\.eyJ{_W}{{20,200}}\.{_W}{{20,60}}"),
    _long("1password-token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9+/=_-]{100,2000}"),
    _kind("1password-key", "A3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}"),
    _kind("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{50,64}"),
    _kind("wallet-key", "prv", r"[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,112}"),
    _kind("wallet-key", "5 K L", r"(?:5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL](?=[1-9A-HJ-NP-Za-km-z]{0,20}\d)[1-9A-HJ-NP-Za-km-z]{51})"),
    _kind("nostr-key", "nsec1", r"nsec1[a-z0-9]{58}"),
    _kind("minisign-key", "RWRTY0Iy", r"RWRTY0Iy[A-Za-z0-9+/]{100,240}={0,2}"),
    _long("jwt", "eyJ", rf"eyJ{_W}{{8,8192}}\.eyJ{_W}{{8,8192}}\.{_W}{{0,2048}}"),
    _long("jwt", "eyJ", rf"eyJ{_W}{{8,8192}}\.{_W}{{0,1024}}\.{_W}{{8,64}}\.{_W}{{8,8192}}\.{_W}{{16,64}}"),
    # Keys of newer forms
    _kind("google-api-key", "AQ.", rf"AQ\.{_W}{{40,80}}"),
    _kind("wandb-key", "wandb_v1_", rf"wandb_v1_{_W}{{40,120}}"),
    _kind("together-key", "tgp_v1_", rf"tgp_v1_{_W}{{40,60}}"),
    _kind("neon-key", "napi_", r"napi_[a-zA-Z0-9]{40,80}"),
    _kind("cloudflare-token", "cfut_ cfat_ cfk_", rf"cf(?:ut|at|k)_{_W}{{40,64}}"),
    _kind("e2b-key", "e2b_", r"e2b_[a-f0-9]{40}"),
    _kind("daytona-key", "dtn_", r"dtn_[a-f0-9]{64}"),
    _kind("jina-key", "jina_", rf"jina_{_W}{{50,80}}"),
    _kind("fireworks-key", "fw_", r"fw_[A-Za-z0-9]{20,40}"),
    _kind("kaggle-token", "KGAT_", r"KGAT_[a-f0-9]{32}"),
    _kind("sourcegraph-token", "sgp_ slk_", r"(?:sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}|slk_[a-f0-9]{64})"),
    _kind("axiom-token", "xaat- xapt-", r"xa[ap]t-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}"),
    _kind("mongodb-secret", "mdb_sa_sk_", rf"mdb_sa_sk_{_W}{{30,60}}"),
    _kind("hubspot-token", "pat-", r"pat-[a-z]{2}\d-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}"),
    _kind("browserbase-key", "bb_live_", rf"bb_live_{_W}{{20,40}}"),
    _kind("honeycomb-key", "hcaik_ hcbik_ hcamk_", r"hc[abx][im]k_[a-z0-9A-Z]{40,64}"),
    _kind("deno-token", "ddp_ ddo_", r"dd[po]_[A-Za-z0-9]{36}"),
    _kind("jsr-token", "jsrp_ jsrd_", r"jsr[pd]_[A-Za-z0-9]{32,64}"),
    _kind("adafruit-key", "aio_", r"aio_[A-Za-z0-9]{28}"),
    _kind("voyage-key", "pa-", rf"pa-{_W}{{43}}"),
    _kind("brave-key", "BSA", rf"BSA{_W}{{24,28}}"),
    _kind("elevenlabs-key", "sk_", r"sk_[a-f0-9]{48}"),
    _kind("stripe-key", "sk_org_", r"sk_org_(?:live|test)_[A-Za-z0-9]{20,250}"),
    _long("github-token", "ghs_ ghu_", rf"gh[su]_[A-Za-z0-9]{{4,64}}\.{_W}{{16,2048}}\.{_W}{{16,2048}}"),
    _kind("gitlab-token", "glpat-", rf"glpat-{_W}{{20,300}}\.[0-9a-z]{{2}}\.[0-9a-z]{{7,9}}"),
    _kind("modal-token", "ak- as-", r"a[ks]-[A-Za-z0-9]{22}"),
    _kind("okta-token", "SSWS", r"SSWS 00[A-Za-z0-9_-]{40}"),
    _kind("azure-ai-key", "JQQJ99", r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}"),
    _kind("infisical-token", "st.", r"st\.[a-f0-9-]{24,40}\.[a-f0-9]{32}\.[a-f0-9]{32}"),
    _kind("linear-secret", "lin_wh_", r"lin_wh_[A-Za-z0-9]{40}"),
    _kind("zapier-key", "sk-ak-", rf"sk-ak-{_W}{{24,80}}"),
    _glued("agentos-key", "agos_", r"agos_[0-9a-f]{8}_[0-9a-f]{32,128}"),
    _long("agentos-token", "agot_", rf"agot_{_W}{{8,7000}}\.{_W}{{43}}"),
    _kind("cursor-key", "key_ crsr_", r"(?:key|crsr)_[a-f0-9]{64}"),
)  # fmt: skip

_LONG_WORD = r"[A-Za-z0-9_+/=.$:@,~-]{16,}"


def tokens(text: str) -> Iterator[SecretSpan]:
    """Yield the tokens of known formats in a text."""
    long_words = "\n".join(compiled(_LONG_WORD).findall(text))
    if not long_words:
        return
    known = set()
    for kind in KINDS:
        if not any(word in (text if kind.spaced else long_words) for word in kind.words):
            continue
        if kind.spaced or compiled(kind.pattern).search(long_words):
            for match in compiled(kind.pattern).finditer(text):
                group = 1 if match.re.groups else 0
                if not match.group(group).endswith(_SAMPLE):
                    known.add(match.end(group))
                    yield SecretSpan(match.start(group), match.end(group), kind.kind)
    mixed = (word for word in long_words.splitlines() if not (word.isalpha() or word.islower() or word.isupper()))
    if compiled(_PREFIXED).search("\n".join(mixed)):
        yield from (span for span in _of_no_known_maker(text) if span.end not in known)
    yield from _beside_their_ids(text)


_PREFIXED = r"(?<![A-Za-z0-9_./+=@~-])(?!pk[_-]|pub|sha|nonce)([a-z][a-z0-9]{1,9}(?:[-_.][a-z0-9]{1,10}){0,2}?)[-_.]([A-Za-z0-9_-]{20,250})(?![A-Za-z0-9_/+=-])"
_TOLD_BY_PREFIX = r"(?:[a-z0-9]{1,10}[-_.]){0,2}(?:live|prod|production|prd|test|dev|stg|staging|sandbox|secret|sk|pat|tok|token|key|api|admin)[-_.]"


def _of_no_known_maker(text: str) -> Iterator[SecretSpan]:
    """Yield tokens by the form that is usual: a short prefix, and a random end that is long or told by the prefix."""
    for match in compiled(_PREFIXED).finditer(text):
        end = match[2]
        if len(end) < 32 and not compiled(_TOLD_BY_PREFIX).match(match[0]):
            continue
        if all(compiled(kind).search(end) for kind in ("[a-z]", "[A-Z]", r"\d")) and is_scrambled(end):
            yield SecretSpan(*match.span(2), "api-key")


_SAMPLE = "EXAMPLE"
"""The suffix of ids in documentation."""
_AWS_ID = r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"
_AWS_SECRET = r"(?<![A-Za-z0-9/+=])(?=[A-Za-z0-9/+]{0,39}[a-z])(?=[A-Za-z0-9/+]{0,39}[A-Z])(?=[A-Za-z0-9/+]{0,39}\d)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"
NEAR = 300


def _beside_their_ids(text: str) -> Iterator[SecretSpan]:
    """Yield AWS secrets, which have no form but their length, near the ids that they belong to."""
    if "AKIA" not in text and "ASIA" not in text:
        return
    past = 0
    for known in compiled(_AWS_ID).finditer(text):
        for match in compiled(_AWS_SECRET).finditer(text, max(past, known.start() - NEAR), known.end() + NEAR):
            past = match.end()
            yield SecretSpan(match.start(), match.end(), "aws-secret-key")


_CARD = r"[2-6](?<![\w.#/+-].)(?:\d{12,15}|\d{3}([ -])\d{4}\1\d{4}\1\d{4}|\d{3}([ -])\d{6}\2\d{4,5})(?![\w-]|\.\d|/)"
_BRANDS = (
    (r"4(?:\d{12}|\d{15})$", "visa"),
    (r"(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}$", "mastercard"),
    (r"3[47]\d{13}$", "amex"),
    (r"3(?:0[0-5]|[68]\d)\d{11}$", "diners"),
    (r"6(?:011|5\d\d|4[4-9]\d)\d{12}$", "discover"),
    (r"35(?:2[89]|[3-8]\d)\d{12}$", "jcb"),
    (r"62\d{14}$", "unionpay"),
)
_IBAN = r"[A-Z](?<![A-Za-z0-9].)[A-Z]\d\d(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"
_IBAN_LENGTHS = dict(
    pair.split(":")
    for pair in (
        "AD:24 AE:23 AL:28 AT:20 AZ:28 BA:20 BE:16 BG:22 BH:22 BR:29 BY:28 CH:21 CR:22 CY:28 CZ:24 DE:22 DK:18 DO:28 "
        "EE:20 EG:29 ES:24 FI:18 FO:18 FR:27 GB:22 GE:22 GI:23 GL:18 GR:27 GT:28 HR:21 HU:28 IE:22 IL:23 IQ:23 IS:26 "
        "IT:27 JO:30 KW:30 KZ:20 LB:28 LC:32 LI:21 LT:20 LU:20 LV:21 MC:27 MD:24 ME:22 MK:19 MR:27 MT:31 MU:30 NL:18 "
        "NO:15 PK:24 PL:28 PS:29 PT:25 QA:29 RO:24 RS:22 SA:24 SC:31 SE:24 SI:19 SK:24 SM:27 ST:25 SV:28 TL:23 TN:24 "
        "TR:26 UA:29 VA:22 VG:24 XK:20"
    ).split()
)
_SSN = r"[0-8](?<![\w.-].)\d\d(?<!000)(?<!666)-(?!00)\d\d-(?!0000)\d{4}(?![\w-]|\.\d)"
_NAMED_SSN = (
    r"(?:ssn|social security(?: number| no\.?)?)[\"']?(?: is|:|=)?[ \t:=\"']{1,4}(\d{9}|\d{3} \d\d \d{4})(?!\d)"
)
_SEED = (
    r"(?:seed (?:phrase|words)|recovery phrase|mnemonic(?: phrase)?|wallet seed|seed)[\"']?[^a-z\n]{0,3}"
    r"(?:\d\d words\))?(?: (?:for|of|to)(?: [\w'-]{1,30}){1,4}?)?(?: is| are| was|:|=)?[\s:=\"'`]{1,6}((?:\d{1,2}[.)] ?)?[a-z]{3,8}(?:[ ,\n]{1,3}(?:\d{1,2}[.)] ?)?[a-z]{3,8}){11,23})(?![a-z])"
)


def numbers(text: str, lower: str) -> Iterator[SecretSpan]:
    """Yield the payment cards, IBANs, US social security numbers and seed phrases of a text."""
    for match in compiled(_CARD).finditer(text):
        if _is_card(match.group().translate(_JOINED)):
            yield SecretSpan(match.start(), match.end(), "card-number")
    for match in compiled(_IBAN).finditer(text):
        if (length := _iban_length(match.group())) is not None:
            yield SecretSpan(match.start(), match.start() + length, "iban")
    if text.count("-") >= 2:
        for match in compiled(_SSN).finditer(text):
            yield SecretSpan(match.start(), match.end(), "us-ssn")
    if "ssn" in lower or "social security" in lower:
        for match in compiled(_NAMED_SSN).finditer(lower):
            yield SecretSpan(match.start(1), match.end(1), "us-ssn")
    if "seed" in lower or "mnemonic" in lower or "recovery phrase" in lower:
        for match in compiled(_SEED).finditer(lower):
            if len(match.group(1).split()) in (12, 15, 18, 21, 24):
                yield SecretSpan(match.start(1), match.end(1), "seed-phrase")


_JOINED = {ord(" "): None, ord("-"): None}


def _is_card(digits: str) -> bool:
    return luhn(digits) and len(set(digits)) > 1 and any(compiled(brand).match(digits) for brand, _ in _BRANDS)


def luhn(digits: str) -> bool:
    """Return whether the last digit is the Luhn check digit of those before it, as on payment cards."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _iban_length(written: str) -> int | None:
    """Return how many characters of a match are an IBAN, or None: the words after one may look like more of it."""
    wanted = int(_IBAN_LENGTHS.get(written[:2], "0"))
    taken, counted = 0, 0
    for character in written:
        taken += 1
        counted += character != " "
        if counted == wanted:
            break
    if not wanted or counted != wanted or written[taken : taken + 1].isalnum():
        return None
    return taken if mod97(written[:taken].replace(" ", "")) == 1 else None


def mod97(iban: str) -> int:
    """Return the remainder of an IBAN modulo 97, which valid check digits make 1."""
    return int("".join(str(int(character, 36)) for character in iban[4:] + iban[:4])) % 97
