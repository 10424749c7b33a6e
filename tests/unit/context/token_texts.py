"""Texts on which the token estimate was fitted (TRAIN), and others that it is tested on (TEST); all written for it."""
# ruff: noqa: E501 - texts are kept whole, and in their own letters

TRAIN: dict[str, tuple[str, ...]] = {
    "English": (
        "The nightly export of the invoices has failed twice this week because the disk of the reporting host was full. "
        "Maria moved the archive to the larger volume on Wednesday and asked everybody to keep at most ninety days of raw "
        "logs there. Since then the job has taken about eleven minutes, which is a third of what it took in spring. If it "
        "fails again, look at the queue first: a stuck worker holds the lock until somebody restarts it by hand.",
        "My grandmother keeps bees behind the old railway station, and every August the whole family comes to help with "
        "the honey. This year the harvest was poor. A wet June had kept the swarms inside, so we ended up with eleven "
        "jars instead of the usual forty, and gave them to the neighbours who had lent us their trailer.",
    ),
    "code": (
        "class RetryPolicy:\n"
        '    """How often a call is repeated, and how long it waits before."""\n\n'
        "    def __init__(self, attempts: int = 5, base_delay: float = 0.2) -> None:\n"
        "        self._attempts = attempts\n"
        "        self._base_delay = base_delay\n\n"
        "    async def run(self, call: Callable[[], Awaitable[T]]) -> T:\n"
        "        for attempt in range(self._attempts):\n"
        "            try:\n"
        "                return await call()\n"
        "            except TransientError as error:\n"
        "                if attempt + 1 == self._attempts:\n"
        "                    raise\n"
        "                delay = self._base_delay * 2**attempt\n"
        '                log.warning("attempt %d failed: %s", attempt, error)\n'
        "                await asyncio.sleep(delay + random.random() / 10)\n"
        '        raise AssertionError("unreachable")\n',
    ),
    "German": (
        "Der nächtliche Export der Rechnungen ist in dieser Woche zweimal abgebrochen, weil die Festplatte des "
        "Berichtsservers voll war. Maria hat das Archiv am Mittwoch auf das größere Laufwerk verschoben und alle gebeten, "
        "dort höchstens neunzig Tage Rohdaten aufzuheben. Seitdem braucht der Lauf etwa elf Minuten. Falls er wieder "
        "scheitert, schau zuerst in die Warteschlange: Ein hängender Prozess hält die Sperre, bis ihn jemand von Hand "
        "neu startet. Meine Großmutter züchtet Bienen hinter dem alten Bahnhof, und jeden August hilft die ganze Familie "
        "bei der Ernte; dieses Jahr war sie mager.",
    ),
    "French": (
        "L'export nocturne des factures a échoué deux fois cette semaine parce que le disque du serveur de rapports était "
        "plein. Marie a déplacé les archives mercredi sur le grand volume et a demandé à tout le monde de ne pas y garder "
        "plus de quatre-vingt-dix jours de journaux bruts. Depuis, le traitement dure environ onze minutes. S'il échoue "
        "encore, regarde d'abord la file d'attente : un processus bloqué garde le verrou jusqu'à ce que quelqu'un le "
        "relance à la main. Ma grand-mère élève des abeilles derrière la vieille gare, et chaque été toute la famille "
        "vient l'aider à récolter le miel.",
    ),
    "Spanish": (
        "La exportación nocturna de las facturas ha fallado dos veces esta semana porque el disco del servidor de informes "
        "estaba lleno. María movió el archivo el miércoles al volumen grande y pidió a todos que no guardaran allí más de "
        "noventa días de registros. Desde entonces la tarea tarda unos once minutos. Si vuelve a fallar, mira primero la "
        "cola: un proceso atascado mantiene el bloqueo hasta que alguien lo reinicia a mano. Mi abuela cría abejas detrás "
        "de la antigua estación, y cada agosto toda la familia viene a ayudar con la miel.",
    ),
    "Russian": (
        "Ночная выгрузка счетов на этой неделе дважды завершилась с ошибкой, потому что на сервере отчётов закончилось "
        "место. Мария в среду перенесла архив на большой диск и попросила всех хранить там журналы не больше девяноста "
        "дней. С тех пор задача занимает около одиннадцати минут. Если она снова упадёт, сначала посмотри очередь: "
        "зависший процесс держит блокировку, пока его не перезапустят вручную. Моя бабушка разводит пчёл за старым "
        "вокзалом, и каждый август вся семья приезжает помогать ей с мёдом.",
    ),
    "Greek": (
        "Η νυχτερινή εξαγωγή των τιμολογίων απέτυχε δύο φορές αυτή την εβδομάδα, επειδή ο δίσκος του διακομιστή αναφορών "
        "ήταν γεμάτος. Η Μαρία μετέφερε το αρχείο την Τετάρτη στον μεγαλύτερο δίσκο και ζήτησε από όλους να κρατούν εκεί "
        "το πολύ ενενήντα ημέρες. Από τότε η εργασία διαρκεί περίπου έντεκα λεπτά. Η γιαγιά μου έχει μελίσσια πίσω από "
        "τον παλιό σταθμό, και κάθε Αύγουστο όλη η οικογένεια έρχεται να βοηθήσει.",
    ),
    "Arabic": (
        "فشل التصدير الليلي للفواتير مرتين هذا الأسبوع لأن قرص خادم التقارير كان ممتلئا. نقلت ماريا الأرشيف يوم الأربعاء "
        "إلى القرص الأكبر وطلبت من الجميع ألا يحتفظوا هناك بأكثر من تسعين يوما من السجلات. منذ ذلك الحين تستغرق المهمة نحو "
        "إحدى عشرة دقيقة. إذا فشلت مرة أخرى فانظر أولا إلى قائمة الانتظار. تربي جدتي النحل خلف محطة القطار القديمة، وفي كل "
        "صيف تأتي العائلة كلها لتساعدها في جمع العسل.",
    ),
    "Hindi": (
        "बिलों का रात का निर्यात इस सप्ताह दो बार विफल हुआ क्योंकि रिपोर्ट सर्वर की डिस्क भर गई थी। मारिया ने बुधवार को संग्रह को बड़ी "
        "डिस्क पर रख दिया और सबसे कहा कि वहाँ नब्बे दिन से अधिक के लॉग न रखें। तब से यह काम लगभग ग्यारह मिनट लेता है। मेरी दादी पुराने "
        "रेलवे स्टेशन के पीछे मधुमक्खियाँ पालती हैं, और हर साल पूरा परिवार शहद निकालने में मदद करने आता है।",
    ),
    "Chinese": (
        "本周发票的夜间导出失败了两次，因为报表服务器的磁盘满了。玛丽亚星期三把归档移到了更大的卷上，并要求大家在那里最多保留九十天的原始日志。"
        "从那以后，这个任务大约需要十一分钟，是春天时的三分之一。如果再次失败，请先检查队列：卡住的进程会一直占用锁，直到有人手动重启它。"
        "我奶奶在老火车站后面养蜜蜂，每年八月全家人都会来帮忙收蜂蜜，今年的收成不太好。",
    ),
    "Japanese": (
        "請求書の夜間エクスポートは、レポートサーバーのディスクがいっぱいだったため、今週二回失敗しました。マリアさんは水曜日にアーカイブを大きいボリュームに"
        "移し、そこには生のログを九十日分までしか残さないように皆に頼みました。それ以来、この処理は約十一分かかります。また失敗したら、まずキューを見てください。"
        "祖母は古い駅の裏で蜂を飼っていて、毎年八月には家族みんなで蜂蜜を集めるのを手伝います。",
    ),
    "Korean": (
        "이번 주에 청구서 야간 내보내기가 두 번 실패했는데, 보고서 서버의 디스크가 가득 찼기 때문입니다. 마리아는 수요일에 보관 파일을 더 큰 볼륨으로 옮기고 "
        "그곳에는 원시 로그를 구십 일치까지만 보관해 달라고 모두에게 부탁했습니다. 그 뒤로 이 작업은 약 십일 분이 걸립니다. 다시 실패하면 먼저 대기열을 확인하세요. "
        "할머니는 오래된 기차역 뒤에서 벌을 키우시고, 해마다 팔월이면 온 가족이 꿀 따는 일을 도우러 갑니다.",
    ),
    "Thai": (
        "การส่งออกใบแจ้งหนี้ตอนกลางคืนล้มเหลวสองครั้งในสัปดาห์นี้ เพราะดิสก์ของเซิร์ฟเวอร์รายงานเต็ม มาเรียย้ายคลังเก็บไปยังดิสก์ที่ใหญ่กว่าเมื่อวันพุธ "
        "และขอให้ทุกคนเก็บบันทึกไว้ไม่เกินเก้าสิบวัน ตั้งแต่นั้นมางานนี้ใช้เวลาประมาณสิบเอ็ดนาที คุณยายของฉันเลี้ยงผึ้งอยู่หลังสถานีรถไฟเก่า "
        "และทุกเดือนสิงหาคมทั้งครอบครัวจะมาช่วยกันเก็บน้ำผึ้ง",
    ),
    "emoji": (
        "🚀 deployed 🎉🎉 thanks 🙏 @ana! build ✅ tests ✅ lint ❌ → fixing 🔧🐛 later ☕️ 👩‍💻 👍🏽 🇩🇪 🇫🇷 🔥🔥🔥 done 💯 see you 👋 ❤️ 😀 😂 🤖 📦 ⚠️ 📝 🐍 🦀",
    ),
    "JSON": (
        '{"id":"mem_5f0c2a9d7be14c3fa1d2","content":"The nightly export runs at 02:00 on host b12.","date":"2026-03-14","tags":["export","invoices"],"label":"contested"},'
        '{"name":"retry_policy","attempts":5,"base_delay":0.2,"enabled":true,"owner":null,"steps":[{"kind":"wait","seconds":12},{"kind":"call","url":"https://example.org/v1/jobs?limit=20"}],'
        '"limits":{"cpu":0.5,"memory_mb":512,"open_files":1024},"notes":["first seen 2026-01-05T09:30:00Z","ticket OPS-4821"],"progress":0.75}',
    ),
}

TEST: dict[str, tuple[str, ...]] = {
    "English": (
        "We agreed on Tuesday that new endpoints must be versioned from the start, since two customers had complained about "
        "silent changes. Peter will write the migration guide; until it is published, please answer questions in the public "
        "channel rather than by mail. The old behaviour stays available behind a flag for six months.",
        "Lena is allergic to hazelnuts and prefers the window seat. On the train to Bergen she read a biography of a Norwegian "
        "explorer, underlined half of it in pencil and left it on the table for whoever came next. She says that books should "
        "travel further than their owners do.",
        "Authentication uses short-lived tokens. The gateway verifies the signature, looks up the tenant, applies its rate "
        "limits and forwards the request to the nearest healthy backend; a failed lookup is cached for thirty seconds so that "
        "a misconfigured client cannot overload the directory.",
    ),
    "code": (
        "export function groupBy(items, keyOf) {\n"
        "  const groups = new Map();\n"
        "  for (const item of items) {\n"
        "    const key = keyOf(item);\n"
        "    if (!groups.has(key)) groups.set(key, []);\n"
        "    groups.get(key).push(item);\n"
        "  }\n"
        "  return groups;\n"
        "}\n\n"
        "const totals = [...groupBy(orders, (o) => o.customerId)].map(([id, list]) => ({\n"
        "  id,\n"
        "  total: list.reduce((sum, o) => sum + o.amount, 0),\n"
        "}));\n",
        "SELECT c.name, COUNT(o.id) AS orders, SUM(o.total) AS revenue\n"
        "FROM customers AS c\n"
        "LEFT JOIN orders AS o ON o.customer_id = c.id AND o.created_at >= '2026-01-01'\n"
        "WHERE c.country IN ('DE', 'AT', 'CH') AND c.deleted_at IS NULL\n"
        "GROUP BY c.name\n"
        "HAVING SUM(o.total) > 1000\n"
        "ORDER BY revenue DESC LIMIT 20;\n",
        "def read_settings(path: Path) -> dict[str, str]:\n"
        "    settings = {}\n"
        "    for number, line in enumerate(path.read_text().splitlines(), start=1):\n"
        "        line = line.strip()\n"
        "        if not line or line.startswith('#'):\n"
        "            continue\n"
        "        name, equals, value = line.partition('=')\n"
        "        if not equals:\n"
        "            raise ValueError(f'{path}:{number}: expected NAME=value')\n"
        "        settings[name.strip()] = value.strip().strip('\"')\n"
        "    return settings\n",
    ),
    "German": (
        "Am Dienstag haben wir beschlossen, dass neue Schnittstellen von Anfang an eine Version tragen, denn zwei Kunden hatten "
        "sich über stille Änderungen beschwert. Peter schreibt die Anleitung für den Umstieg. Bis sie erscheint, beantworten "
        "wir Fragen bitte im öffentlichen Kanal und nicht per Mail.",
        "Lena verträgt keine Haselnüsse und sitzt am liebsten am Fenster. Im Zug nach Bergen las sie die Lebensgeschichte eines "
        "norwegischen Forschers, strich die Hälfte mit Bleistift an und ließ das Buch auf dem Tisch liegen, für wen auch immer. "
        "Bücher sollten weiter reisen als ihre Besitzer, findet sie.",
    ),
    "French": (
        "Mardi, nous avons décidé que les nouvelles interfaces auraient un numéro de version dès le début, car deux clients "
        "s'étaient plaints de changements silencieux. Pierre écrira le guide de migration. En attendant, répondez aux "
        "questions dans le canal public plutôt que par courriel.",
        "Léna ne supporte pas les noisettes et préfère être assise près de la fenêtre. Dans le train pour Bergen, elle a lu la "
        "vie d'un explorateur norvégien, en a souligné la moitié au crayon et a laissé le livre sur la table pour le suivant. "
        "Les livres, dit-elle, doivent voyager plus loin que leurs maîtres.",
    ),
    "Spanish": (
        "El martes decidimos que las nuevas interfaces llevarán versión desde el principio, porque dos clientes se habían "
        "quejado de cambios silenciosos. Pedro escribirá la guía de migración. Hasta que se publique, contestad por favor las "
        "preguntas en el canal público y no por correo.",
        "Elena no tolera las avellanas y prefiere sentarse junto a la ventana. En el tren a Bergen leyó la vida de un explorador "
        "noruego, subrayó la mitad con lápiz y dejó el libro sobre la mesa para quien viniera después. Los libros, dice, deben "
        "viajar más lejos que sus dueños.",
    ),
    "Russian": (
        "Во вторник мы решили, что у новых интерфейсов с самого начала будет версия, потому что два клиента пожаловались на "
        "незаметные изменения. Пётр напишет руководство по переходу. Пока оно не вышло, отвечайте, пожалуйста, на вопросы в "
        "общем канале, а не по почте.",
        "Лена не переносит фундук и любит сидеть у окна. В поезде до Бергена она прочитала жизнь норвежского исследователя, "
        "подчеркнула половину карандашом и оставила книгу на столе для того, кто придёт следующим. Книги, говорит она, должны "
        "путешествовать дальше своих хозяев.",
    ),
    "Greek": (
        "Την Τρίτη αποφασίσαμε ότι οι νέες διεπαφές θα έχουν έκδοση από την αρχή, γιατί δύο πελάτες είχαν παραπονεθεί για "
        "σιωπηλές αλλαγές. Ο Πέτρος θα γράψει τον οδηγό μετάβασης. Μέχρι να δημοσιευτεί, απαντήστε στις ερωτήσεις στο δημόσιο "
        "κανάλι.",
        "Η Έλενα δεν αντέχει τα φουντούκια και προτιμά να κάθεται δίπλα στο παράθυρο. Στο τρένο διάβασε τη ζωή ενός εξερευνητή, "
        "υπογράμμισε τη μισή με μολύβι και άφησε το βιβλίο στο τραπέζι για τον επόμενο.",
    ),
    "Arabic": (
        "قررنا يوم الثلاثاء أن يكون للواجهات الجديدة رقم إصدار منذ البداية، لأن عميلين اشتكيا من تغييرات صامتة. سيكتب بيتر دليل "
        "الانتقال. إلى أن ينشر، يرجى الإجابة عن الأسئلة في القناة العامة لا بالبريد.",
        "لا تتحمل لينا البندق وتفضل الجلوس بجانب النافذة. في القطار قرأت سيرة مستكشف نرويجي، ووضعت خطا تحت نصفها بقلم رصاص، ثم "
        "تركت الكتاب على الطاولة لمن يأتي بعدها. تقول إن الكتب يجب أن تسافر أبعد من أصحابها.",
    ),
    "Hindi": (
        "मंगलवार को हमने तय किया कि नए इंटरफ़ेस का शुरू से ही संस्करण होगा, क्योंकि दो ग्राहकों ने चुपचाप हुए बदलावों की शिकायत की थी। पीटर "
        "बदलाव की मार्गदर्शिका लिखेगा। तब तक कृपया सवालों के जवाब सार्वजनिक चैनल में दें।",
        "लीना को हेज़लनट से एलर्जी है और उसे खिड़की के पास बैठना पसंद है। रेल में उसने एक खोजकर्ता की जीवनी पढ़ी, आधी पर पेंसिल से निशान लगाए "
        "और किताब अगले यात्री के लिए मेज़ पर छोड़ दी।",
    ),
    "Chinese": (
        "星期二我们决定，新的接口从一开始就要带版本号，因为有两个客户抱怨过没有通知的改动。彼得会写迁移指南。在它发布之前，请在公共频道里回答问题，不要用邮件。"
        "旧的行为可以通过开关再保留六个月。",
        "莲娜对榛子过敏，喜欢坐在窗边。在去卑尔根的火车上，她读了一位挪威探险家的传记，用铅笔画出了一半的句子，然后把书留在桌上给下一个人。她说，书应该比它的主人走得更远。",
    ),
    "Japanese": (
        "火曜日に、新しいインターフェースには最初からバージョンを付けることに決めました。二社のお客様から、知らせのない変更について苦情があったからです。移行の手引きは"
        "ピーターが書きます。公開されるまでは、質問にはメールではなく公開チャンネルで答えてください。",
        "レナはヘーゼルナッツのアレルギーがあり、窓側の席が好きです。列車の中でノルウェーの探検家の伝記を読み、半分に鉛筆で線を引いて、次の人のために本を机の上に残しました。"
        "本は持ち主よりも遠くへ旅をするべきだと言います。",
    ),
    "Korean": (
        "화요일에 우리는 새 인터페이스에 처음부터 버전을 붙이기로 했습니다. 고객 두 곳이 알리지 않은 변경에 대해 불평했기 때문입니다. 피터가 이전 안내서를 쓸 것입니다. "
        "안내서가 나올 때까지는 메일 대신 공개 채널에서 질문에 답해 주세요.",
        "레나는 헤이즐넛 알레르기가 있고 창가 자리를 좋아합니다. 기차에서 노르웨이 탐험가의 전기를 읽고 절반에 연필로 밑줄을 그은 다음, 다음 사람을 위해 책을 탁자 위에 두고 내렸습니다. "
        "책은 주인보다 더 멀리 여행해야 한다고 말합니다.",
    ),
    "Thai": (
        "เมื่อวันอังคารเราตกลงกันว่าอินเทอร์เฟซใหม่จะมีหมายเลขรุ่นตั้งแต่ต้น เพราะลูกค้าสองรายบ่นเรื่องการเปลี่ยนแปลงที่ไม่ได้แจ้งล่วงหน้า ปีเตอร์จะเขียนคู่มือการย้ายระบบ "
        "จนกว่าจะเผยแพร่ โปรดตอบคำถามในช่องทางสาธารณะแทนอีเมล",
        "ลีนาแพ้ถั่วเฮเซลนัทและชอบนั่งริมหน้าต่าง บนรถไฟเธออ่านชีวประวัติของนักสำรวจชาวนอร์เวย์ ขีดเส้นใต้ครึ่งเล่มด้วยดินสอ แล้ววางหนังสือไว้บนโต๊ะให้คนถัดไป",
    ),
    "emoji": (
        "Release notes 📣: faster search ⚡️, fewer crashes 💥➡️✅, new icons 🎨🖼️. Known issues 🐞: dark mode 🌙, printing 🖨️. Thanks to everybody 🙌🏼 👏 🥳 🇯🇵 🇧🇷 👨‍👩‍👧",
        "😴 monday ☔️ · 😐 tuesday ⛅️ · 🙂 wednesday 🌤️ · 😄 thursday ☀️ · 🥳 friday 🎊🍕🍺 · 🏖️ weekend 🌊🐬🌴 #mood ✨",
    ),
    "JSON": (
        '{"results":[{"id":"mem_0a1b2c3d4e5f60718293","content":"Ana reviews every change to billing.","date":"2026-05-02"},{"id":"mem_99aa88bb77cc66dd55ee","content":"Staging runs version 16, production 15.","date":"2026-04-28","label":"superseded by mem_0a1b2c3d4e5f60718293"}],"hints":["memory_get has the whole record"]}',
        '{"title":"Move to version 16","status":"active","progress":0.4,"deadline":"2026-12-24T18:00:00Z","tags":["database","q4"],"notes":[{"at":"2026-11-02T08:15:00Z","text":"schema diff is clean"}],"parent":null,"score":0.7325,"children":[]}',
        '[\n  {"op": "replace", "path": "/spec/replicas", "value": 3},\n  {"op": "add", "path": "/metadata/labels/team", "value": "payments"},\n  {"op": "remove", "path": "/spec/template/spec/nodeSelector"}\n]',
    ),
}
