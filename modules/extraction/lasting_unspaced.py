"""The forms by which Chinese and Japanese prompts state something for good: a name, a preference, a decision, a change.

These languages set no spaces between words: a sentence counts as a whole, and what may be about this moment, a guess,
an order or another's words gives nothing.
"""

import re
from collections.abc import Mapping

from .models import FactType

MIN_CHARS, MAX_CHARS = 4, 80

_Forms = Mapping[FactType, re.Pattern[str]]

_NOT_CHINESE = re.compile(
    r"[?？\"“「]|[吗呢吧]$|也许|可能|大概|或许|如果|要是|假如|的话|据说|听说|错|[说讲认]|觉得|[这那]|刚才|又|帮|请(?!叫我)"
    r"|让你|希望|什么|怎么|[哪谁]|是否|例如|比如|应该|暂时|试试|看看|还没|差点"
)
_CHINESE: _Forms = {
    FactType.IDENTITY: re.compile(
        r"我(?:的名字)?叫|(?:以后|请)?叫我|我(?:现在)?(?:住在|来自|负责)|我(?:现在)?在.{1,12}(?:工作|上班)|我对.{1,12}过敏|我吃素"
    ),
    FactType.PREFERENCE: re.compile(
        r"(?!.*(?:现在|喜欢等))(?:(?:比起|相比|和|跟|与).{1,20}我更?(?:喜欢|偏好)|我(?:更|比较|最|一直|不|非常|很)?(?:喜欢|偏好|讨厌|习惯用|倾向于)"
        r"|我(?:从不|从来不|总是|一向|一直|只)[用要想吃喝])"
    ),
    FactType.EVENT: re.compile(
        r"(?:我们|团队|大家)?(?:已经|最终|最后|一致|昨天|上周|今天)?(?:我们|团队|大家)(?:已经|最终|最后|一致|昨天|上周|今天|都)?"
        r"(?:决定|选择了|选定|选了|商定|约定|同意|定了|敲定)"
    ),
    FactType.STATE: re.compile(
        r"从(?:现在|今天|今|本周|下周|下个?月|明年).{0,4}(?:起|开始)|(?:以后|今后|往后).{3}|(?:我们|.{1,12})不再(?:使用|用|支持|维护)"
        r"|(?!我(?!们的)).{2,16}(?:现在|已经?)(?:改?名?叫|由)"
        r"|.{2,16}(?:现在|已经?)(?:改成|改为|改用|换成|迁移到|迁到|搬到|运行在|部署在) ?[A-Z\d]"
        r"|.{0,12}(?:永远|绝对?|千万)(?:不要|不能|别)"
    ),
}
_NOT_JAPANESE = re.compile(
    r"[?？\"“「]|か$|でしょう|かもしれ|たぶん|おそらく|もし|たら|れば|なら|思|らしい|そうです|言|[こそあ]の|これ(?!から)|それ|あれ|ここ|そこ"
    r"|こちら|そちら|エラー|間違|ほしい|欲しい|くれ|直して|書いて|また|さっき|今のところ|誰|何(?!も)|ど[このれ]|なぜ|いつ(?!も)|まだ|先ほど"
)
_OWN = r"(?!(?!(?:私|僕|俺|わたし)は)[^、]{1,20}は.{0,60}(?:[がを]|より|に住|で働|に勤))"
"""Before what a sentence says of another than its user: a topic that is not the user, and something said of it."""
_JAPANESE: _Forms = {
    FactType.IDENTITY: re.compile(
        r"(?:(?:私|僕|俺|わたし)の)?名前は.{1,16}(?:です|だ|といいます)$|.{1,20}と申します$|.{1,15}と呼んで(?:ください|下さい|ね)?$"
        rf"|{_OWN}(?:(?:(?:私|僕|俺|わたし)は)?.{{1,20}}(?:に住んで|で働いて|に勤めて|を担当して)い(?:ます|る)"
        r"|.{1,16}アレルギー(?:です|があります))$"
    ),
    FactType.PREFERENCE: re.compile(
        rf"{_OWN}(?:.{{1,40}}(?:ほうが|方が|[がはも])(?:大?好き|嫌い|苦手|好み)(?:です|だ|ではありません|ではない|じゃない)?"
        r"|.{1,40}を好みます)$"
        r"|(?:私は)?いつも.{2,30}(?:使います|使っています|使う)$"
    ),
    FactType.EVENT: re.compile(
        r".{2,60}(?:ことに(?:し|決め|決まり|なり)|ように(?:し|決め))ました$|.{2,60}(?:ことに(?:した|決めた|なった)|[とに]決めた)$"
        r"|.{2,60}(?:[とに]決め|を採用し|を選び|[とに]決定し|で合意し)ました$"
    ),
    FactType.STATE: re.compile(
        r"(?:今後|これから|以後|以降|今日から|明日から|来週から|今月から|来月から).{4}"
        r"|.{2,40}(?:もう|今後)(?:使って|利用して|使用して|サポートして)い(?:ません|ない)$|.{2,40}の名前は.{1,20}に変わりました$"
        r"|.{2,40}は.{0,20}[A-Z\d].{0,20}に(?:移行|変更|移転|改名|切り替え)(?:しました|されました|ました|になりました)$"
        r"|(?:絶対に|決して|必ず|常に).{3,50}(?:ください|こと)$"
    ),
}


def kind_of(said: str, *, japanese: bool) -> FactType | None:
    """Return what a sentence states by its form; None if it has none of them, or is no statement."""
    if not MIN_CHARS <= len(said) <= MAX_CHARS:
        return None
    unfit, forms = (_NOT_JAPANESE, _JAPANESE) if japanese else (_NOT_CHINESE, _CHINESE)
    return None if unfit.search(said) else next((kind for kind, form in forms.items() if form.match(said)), None)
