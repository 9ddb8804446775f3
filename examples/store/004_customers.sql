-- Customers, their orders and reviews. A token whose uid is 'aiko.tanaka' sees the orders of Aiko Tanaka.

insert into customers (id, uid, name, email, city, country, birthday, newsletter, preferences, joined_at)
select md5('customer ' || c.uid)::uuid, c.uid, c.name, c.uid || '@example.com', c.city, c.country, c.birthday::date,
       c.line % 3 = 1, jsonb_build_object('language', c.language, 'gift_wrap', c.line % 5 = 0),
       timestamptz '2024-02-29 18:20:00+00' + (c.line - 1) * interval '9 days 5 hours 43 minutes 21.25 seconds'
from (values
  ( 1, 'aiko.tanaka',      '田中 愛子',              'Kyōto',          'JP', '1988-04-12', 'ja'),
  ( 2, 'joao.pereira',     'João Pereira',          'Porto',          'PT', '1979-11-03', 'pt'),
  ( 3, 'zsofia.nagy',      'Nagy Zsófia',           'Pécs',           'HU', '1992-07-25', 'hu'),
  ( 4, 'liam.oconnor',     'Liam O''Connor',        'Galway',         'IE', '1969-01-30', 'en'),
  ( 5, 'minh.nguyen',      'Nguyễn Thị Minh',       'Đà Nẵng',        'VN', '1995-09-17', 'vi'),
  ( 6, 'soren.kjaer',      'Søren Kjær',            'Aarhus',         'DK', '1974-12-08', 'da'),
  ( 7, 'fatma.yildiz',     'Fatma Yıldız',          'İzmir',          'TR', '1983-05-21', 'tr'),
  ( 8, 'chloe.lefevre',    'Chloé Lefèvre',         'Lyon',           'FR', '1990-02-14', 'fr'),
  ( 9, 'jiri.dvorak',      'Jiří Dvořák',           'Brno',           'CZ', '1966-08-19', 'cs'),
  (10, 'eleni.papadaki',   'Ελένη Παπαδάκη',        'Χανιά',          'GR', '1986-03-02', 'el'),
  (11, 'mateus.silva',     'Mateus da Silva',       'Recife',         'BR', null,         'pt'),
  (12, 'hana.kim',         '김하나',                 'Busan',          'KR', '1998-10-09', 'ko'),
  (13, 'oksana.shevchuk',  'Оксана Шевчук',         'Львів',          'UA', '1981-06-27', 'uk'),
  (14, 'lukas.schroeder',  'Lukas Schröder',        'Lübeck',         'DE', '1977-04-04', 'de'),
  (15, 'ines.munoz',       'Inés Muñoz',            'Oaxaca',         'MX', '1993-01-11', 'es'),
  (16, 'wei.chen',         '陳 偉',                  'Táinán',         'TW', '1985-12-24', 'zh'),
  (17, 'amina.hassan',     'أمينة حسن',             'Alexandria',     'EG', '1991-05-05', 'ar'),
  (18, 'noam.levi',        'נועם לוי',              'Haifa',          'IL', null,         'he'),
  (19, 'ewa.wojcik',       'Ewa Wójcik',            'Wrocław',        'PL', '1972-09-28', 'pl'),
  (20, 'giulia.rossi',     'Giulia Rossi',          'Torino',         'IT', '1989-07-07', 'it'),
  (21, 'priya.raman',      'பிரியா ராமன்',           'Chennai',        'IN', '1996-11-15', 'ta'),
  (22, 'arjun.mehta',      'अर्जुन मेहता',             'Pune',           'IN', '1984-02-20', 'hi'),
  (23, 'selam.bekele',     'ሰላም በቀለ',               'Addis Ababa',    'ET', '1994-08-30', 'am'),
  (24, 'bjork.jonsdottir', 'Björk Jónsdóttir',      'Akureyri',       'IS', '1970-03-18', 'is'),
  (25, 'tane.walker',      'Tāne Walker',           'Rotorua',        'NZ', '1987-10-31', 'en'),
  (26, 'mila.petrovic',    'Мила Петровић',         'Нови Сад',       'RS', '1999-06-06', 'sr'),
  (27, 'oskar.lindqvist',  'Oskar Lindqvist',       'Göteborg',       'SE', '1963-12-01', 'sv'),
  (28, 'somchai.wong',     'สมชาย วงศ์',             'เชียงใหม่',         'TH', '1980-04-13', 'th'),
  (29, 'thandi.nkosi',     'Thandi Nkosi',          'Durban',         'ZA', '1992-09-24', 'en'),
  (30, 'ana.ionescu',      'Ana Ionescu',           'Cluj-Napoca',    'RO', '1997-05-16', 'ro'),
  (31, 'pekka.makinen',    'Pekka Mäkinen',         'Tampere',        'FI', '1968-02-05', 'fi'),
  (32, 'maria.gonzalez',   'María José González',   'Cádiz',          'ES', '1976-07-29', 'es'),
  (33, 'li.na',            '李 娜',                  'Chéngdū',        'CN', '1990-10-01', 'zh'),
  (34, 'ruth.mwangi',      'Ruth Mwangi',           'Nyeri',          'KE', '1982-12-12', 'en'),
  (35, 'daan.vandijk',     'Daan van Dijk',         'Utrecht',        'NL', '1994-01-26', 'nl'),
  (36, 'aigerim.bek',      'Әйгерім Бекова',        'Алматы',         'KZ', null,         'kk')
) c (line, uid, name, city, country, birthday, language)
order by c.line;

-- Seventy-two orders, four days apart, unevenly spread over the customers.
-- The oldest have arrived, the newest still wait for their payment.
with numbered as (
  select *, row_number() over (order by joined_at) as line from customers
), placed as (
  select n, 1 + (n * n + n / 3) % 33 as line, timestamptz '2025-01-06 08:15:00+00' + n * interval '4 days 3 hours 17 minutes 5.5 seconds' as placed_at,
    (case when n % 11 = 0 then 'cancelled' when n <= 60 then 'delivered' when n <= 64 then 'shipped' when n <= 67 then 'packed'
          when n <= 70 then 'paid' else 'pending' end)::order_status as status
  from generate_series(1, 72) n
)
insert into orders (customer_id, status, shipping, address, note, placed_at, shipped_at)
select c.id, p.status, (array[0, 4.90, 4.90, 7.50, 12.00])[1 + n % 5],
  jsonb_build_object('street', (array['Harbour Lane', 'Lindenallee', 'Rua das Flores', 'Via Roma', 'Station Road', 'Rue des Lilas'])[1 + n % 6] || ' ' || 1 + n * 5 % 89,
                     'city', c.city, 'country', c.country),
  (array[null, null, 'Please ring twice.', null, 'Bitte als Geschenk verpacken 🎁', null, null, '置き配でお願いします。', 'Leave it with the neighbour.', null])[1 + n % 10],
  p.placed_at, case when p.status in ('shipped', 'delivered') then p.placed_at + interval '1 day 6 hours' + n % 3 * interval '1 day' end
from placed p join numbered c using (line)
order by n;

-- One to four lines each. Drafts, the last three products, are never bought.
insert into order_items (order_id, product_id, quantity, unit_price)
select o.id, p.id, 1 + (o.id + line) % 5 / 3, p.price
from orders o
cross join lateral generate_series(0, o.id % 4) line
join products p on p.id = 1 + (o.id * 13 + line * 17) % 57
order by o.id, line;

insert into reviews (product_id, customer_id, author, rating, language, title, body, created_at)
select p.id, c.id, r.author, r.rating, r.language, r.title, r.body, timestamptz '2025-01-20 19:05:00+00' + (r.line - 1) * interval '5 days 7 hours 31.75 seconds'
from (values
  ( 1, 'TG-101', 'aiko.tanaka',      'Aiko',       5, 'ja', '朝の一杯に',                  '香りがよく、後味がすっきりしています。また買います。'),
  ( 2, 'TG-101', 'liam.oconnor',     'Liam O''C.', 4, 'en', 'Converted',                   'Thirty years of builder''s tea and now this. My wife is concerned.'),
  ( 3, 'TG-102', 'li.na',            '娜',          5, 'zh', '正宗',                        '豆香很足，湯色清亮，是明前的味道。'),
  ( 4, 'TG-103', 'chloe.lefevre',    'Chloé',      4, 'fr', 'Très fin',                    'Une belle mousse et presque pas d''amertume. Le pot est un peu petit.'),
  ( 5, 'TG-103', 'tane.walker',      'Tāne',       2, 'en', 'Lovely but',                  'Arrived with the tin open. Refunded within the hour, to be fair.'),
  ( 6, 'TG-104', 'daan.vandijk',     'Daan',       5, 'nl', 'Popcorn!',                    'Ruikt naar popcorn en smaakt naar thuis.'),
  ( 7, 'TB-201', 'arjun.mehta',      'अर्जुन',       5, 'hi', 'बहुत बढ़िया',                   'हल्की और खुशबूदार। बिना दूध के पिएँ।'),
  ( 8, 'TB-202', 'lukas.schroeder',  'Lukas S.',   5, 'de', 'Kräftig',                     'Genau das Richtige nach der Nachtschicht. Zwei Löffel, vier Minuten.'),
  ( 9, 'TB-203', 'fatma.yildiz',     'Fatma',      5, 'tr', 'Tam tavşan kanı',             'Rengi de tadı da yerinde, misafirler çok beğendi.'),
  (10, 'TB-203', 'oskar.lindqvist',  'Oskar',      3, 'sv', 'Stark',                       'Gott, men tolv minuter är lång tid när man är trött.'),
  (11, 'TB-204', 'soren.kjaer',      'Søren',      5, 'da', 'Som et bål',                  'Smager af røgede sild og eventyr. Naboen har klaget.'),
  (12, 'TB-204', 'giulia.rossi',     'Giulia',     1, 'it', 'Affumicato',                  'Sa di prosciutto. Io volevo un tè.'),
  (13, 'TB-205', 'lukas.schroeder',  'Lukas S.',   5, 'de', 'Wie bei Oma in Leer',         'Drei Tassen sind Ostfriesenrecht.'),
  (14, 'TO-301', 'wei.chen',         '阿偉',        4, 'zh', '耐泡',                        '七泡還有餘香。價格合理。'),
  (15, 'TO-302', 'wei.chen',         '阿偉',        5, 'zh', '家鄉味',                      '焙火剛剛好，喝了想家。'),
  (16, 'TO-303', 'hana.kim',         '하나',        5, 'ko', '복숭아 향',                    '향이 정말 놀라워요. 비싸지만 값을 합니다.'),
  (17, 'TH-401', 'thandi.nkosi',     'Thandi',     5, 'en', 'Tastes of home',              'The real Cederberg thing. My children drink it by the litre.'),
  (18, 'TH-402', 'maria.gonzalez',   'María José', 4, 'es', 'Para después de cenar',       'Huele a limón de verdad. Ojalá trajera más.'),
  (19, 'TH-403', 'amina.hassan',     'أمينة',      5, 'ar', 'مثل كركديه جدتي',             'لونه أحمر غامق وطعمه منعش، خصوصاً مع الثلج.'),
  (20, 'TH-404', 'eleni.papadaki',   'Ελένη',      5, 'el', 'Το τσάι της γιαγιάς',          'Μυρίζει βουνό. Πότε θα ξαναέρθει;'),
  (21, 'CB-501', 'selam.bekele',     'ሰላም',       5, 'am', 'በጣም ጥሩ ቡና',                  'ሽታው ደስ ይላል። እንደ ቤት ቡና ነው።'),
  (22, 'CB-501', 'bjork.jonsdottir', 'Björk',      4, 'is', 'Létt og gott',                'Minnir á te, en ég er hrifin af tei.'),
  (23, 'CB-502', 'ines.munoz',       'Inés',       4, 'es', 'Dulce y limpio',              'Muy buen café. Llegó tostado de la semana.'),
  (24, 'CB-503', 'ruth.mwangi',      'Ruth',       5, 'en', 'My own valley',               'I can see the washing station from my window. Roasted with respect.'),
  (25, 'CB-504', 'giulia.rossi',     'Giulia',     5, 'it', 'Come al bar',                 'Crema perfetta. La moka ringrazia.'),
  (26, 'CB-504', 'zsofia.nagy',      'Zsófi',      4, 'hu', 'Erős, de kedves',             'Tejjel is megállja a helyét.'),
  (27, 'CB-505', 'minh.nguyen',      'Minh',       5, 'vi', 'Nhớ Đà Lạt',                  'Thơm, đậm vừa, pha phin rất ngon.'),
  (28, 'CB-506', 'pekka.makinen',    'Pekka',      3, 'fi', 'Kofeiiniton',                 'Ihan hyvää. Mutta miksi?'),
  (29, 'CR-601', 'mila.petrovic',    'Мила',       5, 'sr', 'Права џезва',                 'Кафа искипи лепше него икад.'),
  (30, 'CR-602', 'jiri.dvorak',      'Jirka',      4, 'cs', 'Krásný porcelán',             'Drží teplo a dobře se myje. Filtry raději rovnou přiobjednat.'),
  (31, 'CR-603', 'joao.pereira',     'João',       5, 'pt', 'O som da manhã',              'Simples e eterna. A minha avó tinha uma igual.'),
  (32, 'CR-604', 'pekka.makinen',    'Pekka',      5, 'fi', 'Hiljainen',                   'Ei herätä perhettä. Viisi tähteä pelkästä siitä.'),
  (33, 'CR-604', 'daan.vandijk',     'Daan',       4, 'nl', 'Degelijk',                    'Maalt gelijkmatig, de knop voelt stevig. Wel prijzig.'),
  (34, 'CR-605', 'jiri.dvorak',      'Jirka',      3, 'cs', 'Filtry',                      'Jsou to filtry. V neděli došly.'),
  (35, 'KC-701', 'bjork.jonsdottir', 'Björk',      5, 'is', 'Falleg',                      'Passar í báðar hendur. Engir tveir eins, alveg rétt.'),
  (36, 'KC-701', 'aiko.tanaka',      'Aiko',       4, 'ja', '手になじむ',                  '思ったより少し重いですが、とても気に入っています。'),
  (37, 'KC-702', 'mateus.silva',     'Mateus',     5, 'pt', 'Linda',                       'Azul de verdade, pintada à mão. Chegou inteira até o Recife!'),
  (38, 'KC-703', 'ewa.wojcik',       'Ewa',        5, 'pl', 'Jak u mamy',                  'Przeżyje wszystko, nawet mojego męża.'),
  (39, 'KC-704', 'somchai.wong',     'สมชาย',      5, 'th', 'สวยมาก',                      'สีเขียวสวยเหมือนหยก ห่อมาอย่างดี'),
  (40, 'KC-705', 'lukas.schroeder',  'Lukas S.',   4, 'de', 'Klein und fein',              'Hält warm. Der Henkel ist nichts für Pranken.'),
  (41, 'KT-801', 'chloe.lefevre',    'Chloé',      5, 'fr', 'Pas une goutte à côté',       'Elle verse comme on respire.'),
  (42, 'KT-802', 'li.na',            '娜',          4, 'zh', '泥料不錯',                    '出水順暢，養了三個月開始有光澤了。'),
  (43, 'KT-803', 'fatma.yildiz',     'Fatma',      4, 'tr', 'Sağlam',                      'İndüksiyonda da çalışıyor. Kulpu biraz ısınıyor.'),
  (44, 'KT-804', 'liam.oconnor',     'Liam O''C.', 5, 'en', 'The only pot',                'There are other teapots, but I could not tell you why.'),
  (45, 'KB-901', 'oskar.lindqvist',  'Oskar',      5, 'sv', 'Svart som natten',            'Den står på hyllan och gör rummet tystare.'),
  (46, 'KB-902', 'ines.munoz',       'Inés',       5, 'es', 'Pajaritos',                   'Los pájaros son aún más bonitos que en la foto.'),
  (47, 'KB-903', 'soren.kjaer',      'Søren',      4, 'da', 'Rigtig grå',                  'Præcis som havet. Tåler opvaskemaskine.'),
  (48, 'SN-101', 'ana.ionescu',      'Ana',        5, 'ro', 'Stă deschis',                 'În sfârșit un caiet care nu se închide singur.'),
  (49, 'SN-102', 'hana.kim',         '하나',        5, 'ko', '번지지 않아요',                 '만년필로 써도 뒷면이 깨끗해요. ✍️'),
  (50, 'SN-103', 'priya.raman',      'பிரியா',     5, 'ta', 'அழகான தாள்',                'தாளின் மணமும் தொடுதலும் அருமை.'),
  (51, 'SN-104', 'chloe.lefevre',    'Chloé',      4, 'fr', 'Retour en CE1',               'Les carreaux de mon enfance. Il manque juste la maîtresse.'),
  (52, 'SP-201', 'zsofia.nagy',      'Zsófi',      5, 'hu', 'Egy életre szól',             'Ajándékba vettem. Magamnak.'),
  (53, 'SP-202', 'noam.levi',        'נועם',       4, 'he', 'יפה ועדין',                   'כותב נפלא, אבל אסור שייפול.'),
  (54, 'SP-203', 'tane.walker',      'Tāne',       5, 'en', 'Moonlight indeed',            'Shades beautifully on good paper, sulks on bad.'),
  (55, 'SP-204', 'ewa.wojcik',       'Ewa',        5, 'pl', 'Na wieki',                    'Testament napisany. Można żyć dalej.'),
  (56, 'SA-303', 'oksana.shevchuk',  'Оксана',     5, 'uk', 'Справжній друк',              'Видно кожну літеру на дотик. Надіслала всім друзям.'),
  (57, 'PS-401', 'joao.pereira',     'João',       4, 'pt', 'Estaladiço',                  'Estranha-se e depois entranha-se. Com café é perfeito.'),
  (58, 'PS-402', 'noam.levi',        'נועם',       5, 'he', 'נגמר ביום שלישי',             'טעים מדי. צריך אריזה גדולה יותר.'),
  (59, 'PP-501', 'ana.ionescu',      'Ana',        4, 'ro', 'Ca jeleul',                   'Gros, parfumat, nu prea dulce.'),
  (60, 'PP-502', 'aigerim.bek',      'Әйгерім',    5, 'kk', 'Балалық шақтың дәмі',         'Шаймен өте дәмді, жөтелге де көмектесті.')
) r (line, sku, uid, author, rating, language, title, body)
join products p using (sku)
join customers c using (uid)
order by r.line;
