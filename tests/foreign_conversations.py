"""Conversations in ten languages, with what clients add to the words and what they ask beside them."""
# ruff: noqa: E501

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Side:
    """What a client asks for itself.

    `kind` is `tail` (behind the conversation), `quoted` (with the conversation in its text), `words` (the user's own,
    of the turn `turn`, under other instructions), or `lone` (of neither).
    """

    kind: str
    text: str = ""
    system: str | None = None
    room: int | None = None
    form: bool = False
    turn: int = 0


@dataclass(frozen=True)
class Talk:
    """What a user says and is answered; `sides` are by the number of turns before them."""

    system: str
    turns: Sequence[tuple[str, str]]
    sides: Mapping[int, Sequence[Side]]
    wrap: Callable[[str, int], Sequence[str]] = lambda words, turn: (words,)
    examples: Sequence[tuple[str, str]] = ()
    reminder: str = ""
    tools: bool = False
    streams: bool = True

    def quoted(self, count: int) -> str:
        """The first turns as a client quotes them."""
        return "\n".join(f"USER: {words}\nASSISTANT: {answer}" for words, answer in self.turns[:count])


TALKS: dict[str, Talk] = {
    "de": Talk(
        system="Du bist ein hilfreicher Assistent. Antworte immer auf Deutsch.",
        turns=(
            ("Unser Lager in Bremerhaven zieht im März nach Cuxhaven um.", "Verstanden, der Umzug ist im März."),
            ("Der Mietvertrag läuft bis Ende April weiter.", "Dann überschneiden sich die Mieten einen Monat."),
            ("Wer soll die Spedition aussuchen?", "Das könnte die Logistikabteilung tun."),
        ),
        sides={
            1: (
                Side(
                    "quoted",
                    text='### Aufgabe:\nErstelle einen kurzen Titel mit 3 bis 5 Wörtern und einem Emoji, der den Chatverlauf zusammenfasst.\n### Ausgabe:\nJSON-Format: "title": "..."\n### Chatverlauf:\n<chat_history>\n{history}\n</chat_history>',
                ),
                Side(
                    "quoted",
                    text="### Aufgabe:\nErzeuge 1-3 allgemeine Schlagwörter zu den Hauptthemen des Verlaufs.\n### Chatverlauf:\n<chat_history>\n{history}\n</chat_history>",
                ),
            ),
            3: (
                Side(
                    "quoted",
                    text="### Aufgabe:\nSchlage 3-5 passende Folgefragen vor, die der Benutzer als Nächstes stellen könnte.\n<chat_history>\n{history}\n</chat_history>",
                ),
            ),
        },
    ),
    "fr": Talk(
        system="Tu es un assistant de programmation intégré à l'éditeur.",
        wrap=lambda words, turn: [
            f"<context>\nFichier ouvert : src/paiement.rs, ligne {40 + turn * 3}\n</context>",
            words,
        ],
        tools=True,
        turns=(
            ("Notre passerelle de paiement s'appelle Mercure et tourne à Lyon.", "C'est noté."),
            ("Passe le délai d'attente à douze secondes.", "Le délai est maintenant de 12 s."),
            ("Pourquoi les essais échouent-ils le lundi ?", "Le certificat d'essai est renouvelé le dimanche."),
        ),
        sides={
            1: (
                Side(
                    "tail",
                    text="Génère un titre concis de 3 à 7 mots pour cette conversation, sans ponctuation. Commence directement par le titre, sans guillemets.",
                ),
            ),
            3: (
                Side(
                    "tail",
                    text="Rédige un résumé détaillé de cette conversation afin que quelqu'un d'autre puisse la poursuivre. Donne le contexte, les décisions et les prochaines étapes.",
                ),
            ),
        },
    ),
    "es": Talk(
        system="Eres un agente de terminal. Trabajas en el directorio del usuario.",
        wrap=lambda words, turn: [
            f"<entorno>\nDirectorio: /home/ana/tienda\nRama: principal\nFecha: martes {10 + turn} de marzo\n</entorno>\n\n{words}"
        ],
        tools=True,
        turns=(
            ("La base de datos de pedidos vive en Zaragoza y se copia cada noche.", "Entendido."),
            ("Añade un índice por fecha de entrega.", "Índice añadido."),
            ("Ahora borra la columna vieja de descuentos.", "Columna borrada."),
        ),
        sides={
            0: (
                Side(
                    "words",
                    system="Eres un generador de títulos. Devuelves ÚNICAMENTE un título para el hilo. Máximo 50 caracteres, una sola línea, sin explicaciones.",
                    room=60,
                ),
            ),
            2: (
                Side(
                    "words",
                    system="Analiza si el mensaje indica un nuevo tema de conversación. Si es así, extrae un título de 2-3 palabras. Responde en JSON con dos campos: esNuevoTema y titulo.",
                    form=True,
                    turn=1,
                ),
            ),
        },
    ),
    "ja": Talk(
        system="あなたはコマンドラインで動くコーディングエージェントです。",
        wrap=lambda words, turn: [
            f"<system-reminder>\n# 今日の日付\n今日は2026年3月{3 + turn}日です。\nこの文脈はユーザーの依頼と関係がない場合があります。\n</system-reminder>\n",
            words,
        ],
        tools=True,
        turns=(
            ("社内の認証サーバーは「あかつき」という名前で、札幌で動いています。", "承知しました。"),
            ("セッションの有効期限を四十五分にしてください。", "四十五分に変更しました。"),
            ("なぜ金曜日だけ遅くなるのですか?", "金曜日にバックアップが走るためです。"),
        ),
        sides={
            0: (
                Side("lone", text="quota", room=1),
                Side(
                    "words",
                    system="このコーディングの会話を50文字以内で要約してください。要約だけを返してください。",
                    room=100,
                ),
            ),
            1: (
                Side(
                    "words",
                    system="このメッセージが新しい話題を示すかどうかを分析してください。JSONで isNewTopic と title を返してください。",
                    form=True,
                ),
            ),
        },
    ),
    "zh": Talk(
        system="你是一个乐于助人的助手。",
        turns=(
            ("我们的发票系统叫银杏,服务器放在成都。", "好的,记住了。"),
            ("每个月二十五号关账。", "明白,二十五号。"),
            ("下个月的关账会不会碰到假期?", "四月二十五日是工作日。"),
        ),
        sides={
            1: (
                Side(
                    "quoted",
                    text="{history}",
                    system="你是一名擅长会话的助理,你需要将用户的会话总结为 10 个字以内的标题,不需要包含标点符号,输出语言为用户的语言。",
                    room=50,
                ),
            ),
            2: (Side("tail", text="请用十个字以内为以上对话起一个标题,只输出标题,不要标点。", room=32),),
        },
    ),
    "pt": Talk(
        system="Converta pedidos em respostas curtas.",
        examples=(
            ("user", "A loja do Porto abre quando?"),
            ("assistant", "Abre às dez."),
            ("user", "E a de Braga?"),
            ("assistant", "Abre às nove e meia."),
        ),
        turns=(
            ("O fornecedor de papel mudou para a Papelaria Atlântida em Aveiro.", "Anotado."),
            ("O prazo de entrega deles é de quatro dias úteis.", "Certo, quatro dias."),
            ("Quem assina as encomendas acima de mil euros?", "A diretora financeira."),
        ),
        sides={
            1: (
                Side(
                    "quoted",
                    text="Forneça um título conciso, de 5 palavras ou menos, para a conversa, usando o mesmo idioma. Responda apenas com o título.\n\nConversa:\n{history}",
                ),
            ),
        },
    ),
    "ru": Talk(
        system="Ты — интерактивный агент командной строки.",
        examples=(
            (
                "user",
                "Это контекст для нашего чата. Сегодня вторник. Моя операционная система: linux. Я работаю в каталоге /srv/sklad.",
            ),
            ("assistant", "Понял. Спасибо за контекст!"),
        ),
        tools=True,
        turns=(
            ("Сервер печати этикеток называется Байкал и стоит в Иркутске.", "Принято."),
            ("Поставь очередь на сорок заданий.", "Очередь теперь на 40 заданий."),
            ("Почему она заполняется по четвергам?", "По четвергам приходит поставка."),
        ),
        sides={
            1: (
                Side(
                    "tail",
                    text="Проанализируй *только* содержание и структуру своего предыдущего ответа. Кто логически должен говорить следующим: «user» или «model»? Ответь в JSON.",
                    form=True,
                ),
            ),
            2: (
                Side(
                    "tail",
                    text="Проанализируй *только* содержание и структуру своего предыдущего ответа. Кто логически должен говорить следующим: «user» или «model»? Ответь в JSON.",
                    form=True,
                ),
            ),
            3: (
                Side(
                    "tail",
                    text="Сначала обдумай всё в черновике. Затем создай <state_snapshot>, в котором собраны цель, ключевые знания, состояние файлов и план.",
                    system="Ты сжимаешь внутреннюю историю чата в заданную структуру.",
                ),
            ),
        },
    ),
    "it": Talk(
        system="Agisci come sviluppatore esperto. Usa sempre le buone pratiche.",
        examples=(
            (
                "user",
                "Ecco i riassunti di alcuni file del mio repository git.\nNon proporre modifiche a questi file, chiedimi prima di *aggiungerli alla chat*.\n\nsrc/ordini.py:\n⋮\n│class Ordine:\n│    def totale(self):\n⋮",
            ),
            ("assistant", "Ok, non modificherò quei file senza chiedere."),
        ),
        reminder="Rispondi sempre in italiano. Ogni modifica va in un blocco SEARCH/REPLACE.",
        turns=(
            ("Il modulo delle spedizioni usa il corriere Freccia di Bologna.", "Va bene."),
            ("Calcola il totale con l'IVA al quattro per cento per i libri.", "Fatto nel file ordini.py."),
            ("Perché il totale arrotonda per difetto?", "Per via di int()."),
        ),
        sides={
            2: (
                Side(
                    "lone",
                    text="diff --git a/src/ordini.py b/src/ordini.py\n--- a/src/ordini.py\n+++ b/src/ordini.py\n@@ -3,1 +3,1 @@\n-    return netto\n+    return netto * 1.04\n",
                    system="Sei un ingegnere esperto che scrive messaggi di commit Git concisi, di una riga, a partire dai diff forniti.\nRispondi solo con il messaggio.",
                ),
            ),
            3: (
                Side(
                    "quoted",
                    text="{history}",
                    system="*In breve* riassumi questa conversazione parziale sulla programmazione.\nIncludi meno dettagli sulle parti più vecchie e più sulle recenti.",
                ),
            ),
        },
    ),
    "ko": Talk(
        system="당신은 친절한 비서입니다.",
        streams=False,
        turns=(
            ("우리 회사 메일 서버는 한라라고 하고 제주에 있습니다.", "알겠습니다."),
            ("점검은 매달 둘째 수요일에 합니다.", "둘째 수요일이군요."),
            ("다음 점검 때 누구에게 알려야 합니까?", "운영팀에 알리면 됩니다."),
        ),
        sides={
            0: (Side("lone", text="hi", room=1),),
            1: (
                Side(
                    "quoted",
                    text="{history}",
                    system="대화를 요약하여 10자 이내의 제목을 만드세요. 문장 부호는 쓰지 마세요.",
                    room=40,
                ),
            ),
        },
    ),
    "tr": Talk(
        system="Sen bir yazılım mühendisisin.",
        wrap=lambda words, turn: [
            f"<gorev>\n{words}\n</gorev>" if turn == 0 else words,
            f"<ortam_ayrintilari>\n# Görünen dosyalar\nsrc/ana.ts\n# Şimdiki saat\n{9 + turn}:15\n</ortam_ayrintilari>",
        ],
        tools=True,
        turns=(
            ("Stok servisimizin adı Kızılırmak ve Kayseri'de çalışıyor.", "Tamam."),
            ("Yeniden deneme sayısını altıya çıkar.", "Altı yapıldı."),
            ("Neden pazar günleri zaman aşımına uğruyor?", "Pazar günü yedekleme var."),
        ),
        sides={
            2: (
                Side(
                    "tail",
                    text="Şimdiye kadarki konuşmayı sistem talimatlarında anlatıldığı gibi özetle.",
                    system="Görevin, konuşmanın ayrıntılı bir özetini çıkarmak; kullanıcının açık isteklerine dikkat et.",
                ),
            ),
        },
    ),
}
