"""Names of columns in further languages; the lines are in the order of `words.ROLES`."""

from __future__ import annotations

LINES: dict[str, str] = {
    "pl": """
przypadek|tekst|uczeń|zdanie|próbka|praca|pacjent|wypowiedź|jednostka|pozycja
oceniający|koder|sędzia|egzaminator|nauczyciel|anotator|recenzent|badacz
ocena|kategoria|odpowiedź|punkty|kod|etykieta|wynik|diagnoza
lp.|wiersz|nr
treść|opis
data|dzień
godzina|czas
uwagi|komentarz|uzasadnienie
pewność|stopień pewności
partia|grupa|tura|seria
rok|rok urodzenia
czas trwania|sekundy
płeć
suma|razem|łącznie
średnia|średnia ocen
większość|konsensus
wzorzec|klucz
""",
    "cs": """
případ|žák|věta|vzorek|práce|pacient|výrok|jednotka|položka
hodnotitel|kodér|posuzovatel|zkoušející|učitel|anotátor|rozhodčí
hodnocení|známka|kategorie|odpověď|kód|štítek|skóre
poř. č.|řádek|pořadí
obsah|popis
datum|den
čas|hodina
poznámka|komentář|zdůvodnění
jistota|míra jistoty
dávka|skupina|kolo
rok|rok narození
trvání|sekundy|doba
pohlaví
součet|celkem
průměr|průměrná známka
většina|shoda
vzor|správně
""",
    "hu": """
eset|szöveg|tanuló|mondat|minta|beteg|dolgozat
értékelő|kódoló|bíráló|tanár|megfigyelő
értékelés|osztályzat|kategória|válasz|kód|pontszám
sorszám|sor
tartalom|leírás
dátum|nap
idő|időpont
megjegyzés|indoklás
bizonyosság|magabiztosság
csoport|kör
év|születési év
időtartam|másodperc
nem
összesen|összeg
átlag
többség|konszenzus
helyes|etalon
""",
    "ro": """
caz|elev|propoziție|probă|lucrare|pacient|fragment
evaluator|codificator|profesor|examinator|judecător
notă|calificativ|categorie|răspuns|punctaj|cod
nr. crt.|rând
conținut|descriere
dată|zi
oră|început
observații|comentariu
încredere|siguranță
lot|grupă|rundă
an|anul nașterii
durată|secunde
sex|gen
total|sumă
medie|media notelor
majoritate|consens
etalon|barem
""",
    "tr": """
vaka|öğrenci|cümle|örnek|metin|hasta|soru|belge|madde
değerlendirici|kodlayıcı|puanlayıcı|hakem|öğretmen|gözlemci|uzman
puan|kategori|cevap|yanıt|etiket|karar|değerlendirme|kod
sıra|sıra no|satır
içerik|açıklama
tarih|gün
saat|başlangıç
yorum|not|açıklamalar
güven|eminlik
grup|tur|oturum
yıl|doğum yılı
süre|saniye
cinsiyet
toplam|genel toplam
ortalama|ort.
çoğunluk|uzlaşma
doğru cevap|altın
""",
    "ru": """
текст|случай|ученик|предложение|образец|документ|пациент|объект|задание|отзыв
эксперт|кодировщик|оценщик|разметчик|судья|учитель|экзаменатор|аннотатор
оценка|метка|категория|ответ|балл|код|класс|решение
№|строка|номер|№ п/п
содержание|описание
дата|день
время|час
комментарий|примечание|обоснование
уверенность|степень уверенности
партия|группа|раунд
год|год рождения
длительность|секунды
пол
итого|сумма|всего
среднее|средний балл
большинство|консенсус
эталон|правильный ответ
""",
    "uk": """
текст|випадок|учень|речення|зразок|пацієнт
експерт|оцінювач|кодувальник|вчитель|суддя
оцінка|мітка|категорія|відповідь|бал
рядок|№ з/п
зміст|опис
дата|день
час|година
коментар|примітка
впевненість
група|раунд
рік|рік народження
тривалість|секунди
стать
разом|сума|усього
середнє|середній бал
більшість|консенсус
еталон
""",
    "el": """
κείμενο|περίπτωση|μαθητής|πρόταση|δείγμα|ασθενής|έγγραφο|ερώτηση
αξιολογητής|κωδικοποιητής|κριτής|βαθμολογητής|εξεταστής|δάσκαλος
βαθμός|κατηγορία|απάντηση|κρίση|αξιολόγηση|κωδικός|ετικέτα
α/α|γραμμή
περιεχόμενο|περιγραφή
ημερομηνία|ημέρα
ώρα|έναρξη
σχόλιο|παρατηρήσεις|σχόλια
βεβαιότητα|σιγουριά
ομάδα|γύρος
έτος|έτος γέννησης
διάρκεια|δευτερόλεπτα
φύλο
σύνολο|άθροισμα
μέσος όρος|μ.ο.
πλειοψηφία|συναίνεση
σωστή απάντηση
""",
    "ja": """
文書|事例|症例|文|作文|画像|項目|問題|発話|患者|サンプル
評価者|評定者|採点者|判定者|注釈者|教師|コーダー|審査員
評価|評定|得点|カテゴリ|回答|判定|ラベル|点数|分類
番号|通し番号|行
本文|内容|説明
日付|評価日
時刻|時間
コメント|備考|メモ
確信度|自信
グループ|回
年|年度|生年
所要時間|秒
性別
合計|総計
平均|平均点
多数決|合意
正解|模範解答
""",
    "zh": """
文本|编号|案例|学生|句子|样本|文档|病人|图片|题目|作文|帖子
评分者|标注者|编码员|评委|评审|标注员|老师|专家|审核员
评分|标签|类别|答案|得分|等级|判断|编码|结果
序号|行号
内容|正文|描述
日期|标注日期
时间|开始时间
备注|评论|说明
置信度|把握|信心
批次|组别|轮次
年份|出生年
时长|秒数|用时
性别
总计|合计|总分
平均|平均分|均值
多数|共识
标准答案|金标准
""",
    "ko": """
문서|사례|학생|문장|표본|환자|항목|문항|글
평가자|채점자|코더|주석자|심사자|교사|판정자
평가|점수|범주|응답|라벨|등급|판정
순번|번호
내용|본문
날짜|평가일
시간|시각
비고|의견|메모
확신도|자신감
조|차수|묶음
연도|출생연도
소요시간|초
성별
합계|총점
평균|평균점수
다수결|합의
정답
""",
    "ar": """
النص|الحالة|الطالب|الجملة|العينة|المريض|الوثيقة|السؤال
المقيم|المرمز|المصحح|الحكم|المعلم|الخبير
التقييم|الفئة|الإجابة|الدرجة|الرمز|التصنيف
الرقم|التسلسل
المحتوى|الوصف
التاريخ|اليوم
الوقت|الساعة
ملاحظات|تعليق
الثقة|درجة الثقة
المجموعة|الدفعة
السنة|سنة الميلاد
المدة|الثواني
الجنس
المجموع|الإجمالي
المتوسط|المعدل
الأغلبية|الإجماع
الإجابة الصحيحة
""",
    "id": """
kasus|siswa|kalimat|sampel|dokumen|pasien|teks|soal|butir
penilai|pengode|juri|penguji|guru|anotator|pengamat
nilai|kategori|jawaban|skor|penilaian|kode|putusan
no urut|baris
isi|deskripsi
tanggal|hari
waktu|jam
komentar|catatan|keterangan
keyakinan|kepastian
kelompok|gelombang|putaran
tahun|tahun lahir
durasi|detik
jenis kelamin
jumlah|total keseluruhan
rata-rata|rerata
mayoritas|mufakat
kunci jawaban|acuan
""",
    "vi": """
văn bản|trường hợp|học sinh|câu|mẫu|bệnh nhân
người đánh giá|người chấm|giám khảo|giáo viên|người mã hóa
điểm|loại|câu trả lời|đánh giá|nhãn|mã
stt|dòng
nội dung|mô tả
ngày|ngày chấm
thời gian|giờ
ghi chú|nhận xét
độ tin cậy|mức chắc chắn
nhóm|đợt
năm|năm sinh
thời lượng|giây
giới tính
tổng|tổng cộng
trung bình|điểm trung bình
đa số|thống nhất
đáp án
""",
}
