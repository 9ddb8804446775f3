-- No random numbers and no clock, here and in the next file: every load gives the same shop.

insert into categories (slug, name, description, position) values
  ('tea',        'Tea',        'Leaves, from the mountain to the tin.', 1),
  ('coffee',     'Coffee',     'Roasted on Tuesdays, sent on Wednesdays.', 2),
  ('ceramics',   'Ceramics',   'Thrown, glazed and fired by people whose names we know.', 3),
  ('stationery', 'Stationery', 'Paper worth writing on.', 4),
  ('pantry',     'Pantry',     'What goes with a good cup.', 5);

insert into categories (parent_id, slug, name, description, position)
select parent.id, child.slug, child.name, child.description, child.position
from (values
  ('tea',        'green-tea',  'Green tea',          'Steamed or pan-fired, never fermented.', 1),
  ('tea',        'black-tea',  'Black tea',          'Fully oxidised, for milk or for none.', 2),
  ('tea',        'oolong',     'Oolong',             '烏龍茶: between green and black, and better than both on a rainy day.', 3),
  ('tea',        'herbal',     'Herbal infusions',   'No tea plant in it, and no caffeine.', 4),
  ('coffee',     'beans',      'Whole beans',        'Single farms and small cooperatives.', 1),
  ('coffee',     'brewing',    'Brewing',            'From cezve to siphon.', 2),
  ('ceramics',   'cups',       'Cups',               'For one hand or for two.', 1),
  ('ceramics',   'teapots',    'Teapots',            'That pour without dripping. We tried.', 2),
  ('ceramics',   'bowls',      'Bowls',              'For matcha, soup or keys.', 3),
  ('stationery', 'notebooks',  'Notebooks',          'Sewn, so that they lie flat.', 1),
  ('stationery', 'pens-ink',   'Pens & ink',         'Nibs, brushes and what flows from them.', 2),
  ('stationery', 'paper',      'Paper & envelopes',  'Handmade or nearly.', 3),
  ('pantry',     'sweets',     'Sweets',             'Chocolate, halva and friends.', 1),
  ('pantry',     'preserves',  'Honey & preserves',  'Summer in a jar.', 2)
) child (parent, slug, name, description, position)
join categories parent on parent.slug = child.parent
order by parent.position, child.position;

insert into products (category_id, sku, name, description, price, stock, origin, materials, attributes, published, released_on, created_at)
select c.id, p.sku, p.name, p.description, p.price, p.stock, p.origin, p.materials::text[], p.attributes::jsonb,
       p.released_on is not null, p.released_on::date, timestamptz '2024-01-08 09:00:00+00' + (p.line - 1) * interval '20 hours 2 minutes 11.125 seconds'
from (values
  ( 1, 'green-tea', 'TG-101', 'Sencha 煎茶 Asatsuyu',           'First flush from Kagoshima: sweet peas, sea air, a long clear finish.',            16.50, 84, 'JP', '{"green tea"}',               '{"grams": 80, "steep": {"celsius": 70, "minutes": 1.5}}',   '2024-03-01'),
  ( 2, 'green-tea', 'TG-102', 'Lóngjǐng 龍井 before the rains', 'Pan-fired by hand near Hángzhōu in the first days of April. Chestnut and spring.',  29.00, 31, 'CN', '{"green tea"}',               '{"grams": 50, "steep": {"celsius": 80, "minutes": 2}}',     '2024-04-20'),
  ( 3, 'green-tea', 'TG-103', 'Matcha 抹茶 Uji, ceremonial',     'Stone-ground, thirty grams an hour. Whisk it, do not stir it.',                     34.90, 22, 'JP', '{"green tea"}',               '{"grams": 30, "grade": "ceremonial"}',                      '2024-03-01'),
  ( 4, 'green-tea', 'TG-104', 'Genmaicha 玄米茶',               'Sencha with roasted rice: the smell of a warm kitchen.',                             9.80, 120, 'JP', '{"green tea","brown rice"}',  '{"grams": 100, "steep": {"celsius": 85, "minutes": 2}}',    '2024-03-01'),
  ( 5, 'green-tea', 'TG-105', 'Sejak 세작 from Boseong',         'Second picking, softly roasted. Corn silk and young leaves.',                       21.00, 40, 'KR', '{"green tea"}',               '{"grams": 60, "steep": {"celsius": 75, "minutes": 2}}',     '2024-06-10'),
  ( 6, 'black-tea', 'TB-201', 'Darjeeling First Flush, Puttabong', 'Light as muslin. Muscat grapes and mountain air at 1,900 metres.',                22.40, 46, 'IN', '{"black tea"}',               '{"grams": 100, "steep": {"celsius": 90, "minutes": 3}}',    '2024-05-02'),
  ( 7, 'black-tea', 'TB-202', 'Assam Mokalbari',                'Malt, dark honey, and enough strength for a Monday.',                               11.20, 96, 'IN', '{"black tea"}',               '{"grams": 125, "steep": {"celsius": 98, "minutes": 4}}',    '2024-03-01'),
  ( 8, 'black-tea', 'TB-203', 'Rize çayı',                      'The everyday tea of Türkiye, for small glasses and long talks.',                     7.50, 150, 'TR', '{"black tea"}',               '{"grams": 250, "steep": {"celsius": 95, "minutes": 12}}',   '2024-03-01'),
  ( 9, 'black-tea', 'TB-204', 'Lapsang Souchong 正山小種',       'Dried over pine fires in Wǔyí. Opinions differ; ours is firm.',                     18.00, 27, 'CN', '{"black tea"}',               '{"grams": 80, "steep": {"celsius": 95, "minutes": 3}}',     '2024-09-15'),
  (10, 'black-tea', 'TB-205', 'Ostfriesenmischung',             'Assam and Sumatra, made for cream and a lump of kluntje that cracks.',              10.90, 73, 'DE', '{"black tea"}',               '{"grams": 250, "steep": {"celsius": 98, "minutes": 4}}',    '2024-03-01'),
  (11, 'oolong',    'TO-301', 'Tiěguānyīn 鐵觀音',               'Rolled, lightly roasted, good for seven infusions. Orchids throughout.',            24.00, 38, 'CN', '{"oolong tea"}',              '{"grams": 75, "infusions": 7}',                             '2024-03-01'),
  (12, 'oolong',    'TO-302', 'Dōngdǐng 凍頂',                  'Medium roast from the frozen summit. Butter, walnut, a little smoke.',              26.50, 33, 'TW', '{"oolong tea"}',              '{"grams": 75, "infusions": 6}',                             '2024-08-01'),
  (13, 'oolong',    'TO-303', 'Oriental Beauty 東方美人',        'Bitten by leafhoppers, and the better for it: peach and wild honey.',               41.00, 12, 'TW', '{"oolong tea"}',              '{"grams": 50, "infusions": 5}',                             '2024-10-12'),
  (14, 'herbal',    'TH-401', 'Rooibos, Cederberg',             'Red, round and without caffeine. Children may have it too.',                         6.90, 140, 'ZA', '{"rooibos"}',                 '{"grams": 200, "caffeine": false}',                         '2024-03-01'),
  (15, 'herbal',    'TH-402', 'Verveine du Velay',              'Whole leaves of lemon verbena, for after dinner.',                                   8.40, 64, 'FR', '{"verbena"}',                 '{"grams": 40, "caffeine": false}',                          '2024-06-21'),
  (16, 'herbal',    'TH-403', 'Hibiscus كركديه Aswan',          'Dark red and sour. Hot in winter, over ice for the rest of the year.',               7.20, 88, 'EG', '{"hibiscus"}',                '{"grams": 150, "caffeine": false}',                         '2024-03-01'),
  (17, 'herbal',    'TH-404', 'Τσάι του βουνού, mountain tea',  'Ironwort in whole stems, tied by hand on Mount Olympus.',                            9.30, 0,  'GR', '{"ironwort"}',                '{"grams": 50, "caffeine": false}',                          '2024-09-15'),
  (18, 'beans',     'CB-501', 'Yirgacheffe ይርጋ ጨፌ, washed',      'Jasmine, apricot and a cup so clear that one looks for the coffee.',                15.90, 58, 'ET', '{"arabica"}',                 '{"grams": 250, "roast": "light", "altitude": 1950, "notes": ["jasmine", "apricot"]}',   '2024-03-01'),
  (19, 'beans',     'CB-502', 'Huila, Finca La Esperanza',      'Panela, red apple and cocoa, from Doña Amparo''s four hectares.',                   14.50, 71, 'CO', '{"arabica"}',                 '{"grams": 250, "roast": "medium", "altitude": 1720, "notes": ["panela", "red apple"]}',  '2024-03-01'),
  (20, 'beans',     'CB-503', 'Nyeri AA',                       'Blackcurrant, loud and clear.',                                                     17.80, 35, 'KE', '{"arabica"}',                 '{"grams": 250, "roast": "light", "altitude": 1800, "notes": ["blackcurrant", "rhubarb"]}', '2024-07-07'),
  (21, 'beans',     'CB-504', 'Espresso «Vecchia Trieste»',     'Seven coffees, one crema. The recipe is older than the roaster.',                   12.90, 110, 'IT', '{"arabica","robusta"}',       '{"grams": 500, "roast": "dark", "notes": ["cocoa", "toasted hazelnut"]}',               '2024-03-01'),
  (22, 'beans',     'CB-505', 'Cà phê Đà Lạt',                  'Arabica from the highlands. With condensed milk, or without explanation.',          11.40, 52, 'VN', '{"arabica"}',                 '{"grams": 250, "roast": "medium", "altitude": 1500, "notes": ["caramel", "plum"]}',      '2024-11-02'),
  (23, 'beans',     'CB-506', 'Sumatra Gayo, decaf',            'Everything but the caffeine, taken out with mountain water.',                       16.20, 29, 'ID', '{"arabica"}',                 '{"grams": 250, "roast": "medium", "decaf": true}',                                      '2024-11-02'),
  (24, 'brewing',   'CR-601', 'Cezve, hammered copper',         'Tinned inside, walnut handle. Two small cups, one deep breath.',                    39.00, 18, 'TR', '{"copper","walnut"}',         '{"capacity_ml": 160}',                                      '2024-03-01'),
  (25, 'brewing',   'CR-602', 'Pour-over dripper, Arita ware',  'Thin porcelain that holds its heat. Takes paper filters of size 02.',               32.00, 25, 'JP', '{"porcelain"}',               '{"filter": "02"}',                                          '2024-05-18'),
  (26, 'brewing',   'CR-603', 'Moka pot, six cups',             'Aluminium, eight sides, one sound that means breakfast.',                           28.50, 60, 'IT', '{"aluminium"}',               '{"capacity_ml": 270, "induction": false}',                  '2024-03-01'),
  (27, 'brewing',   'CR-604', 'Hand grinder, ash and steel',    'Forty clicks from espresso to French press. Quiet enough for six in the morning.',  89.00, 14, 'DE', '{"ash","steel"}',             '{"burr_mm": 48}',                                           '2024-08-01'),
  (28, 'brewing',   'CR-605', 'Paper filters 02, unbleached',   'A hundred of them. They run out on Sundays.',                                        5.20, 300, 'JP', '{"paper"}',                   '{"pieces": 100}',                                           '2024-05-18'),
  (29, 'cups',      'KC-701', 'Yunomi 湯呑み, ash glaze',        'For two hands. No two alike, which is the point.',                                  36.00, 20, 'JP', '{"stoneware"}',               '{"capacity_ml": 180, "glaze": "ash"}',                      '2024-03-01'),
  (30, 'cups',      'KC-702', 'Chávena azul, Caldas da Rainha', 'Cobalt on white, painted without a stencil.',                                       18.90, 42, 'PT', '{"earthenware"}',             '{"capacity_ml": 120, "glaze": "tin"}',                      '2024-03-01'),
  (31, 'cups',      'KC-703', 'Kubek Bolesławiec, peacock eye', 'The Polish pattern that survives dishwashers, moves and children.',                 21.50, 66, 'PL', '{"stoneware"}',               '{"capacity_ml": 300, "dishwasher": true}',                  '2024-03-01'),
  (32, 'cups',      'KC-704', 'Celadon 청자 cup',               'Icheon celadon, the green of a pond in shade.',                                     44.00, 9,  'KR', '{"stoneware"}',               '{"capacity_ml": 150, "glaze": "celadon"}',                  '2024-10-12'),
  (33, 'cups',      'KC-705', 'Espressotasse «Linz»',           'Thick walls, small ear. Stays warm as long as the gossip.',                         12.00, 80, 'AT', '{"porcelain"}',               '{"capacity_ml": 70, "dishwasher": true}',                   '2024-06-21'),
  (34, 'teapots',   'KT-801', 'Kyūsu 急須, Tokoname red',        'Side handle, clay strainer. Pours to the last drop.',                               78.00, 11, 'JP', '{"stoneware"}',               '{"capacity_ml": 280}',                                      '2024-03-01'),
  (35, 'teapots',   'KT-802', 'Yíxīng 宜興 pot «Xīshī»',         'Zǐní clay, 120 ml. Choose one tea for it and be faithful.',                        135.00, 5,  'CN', '{"stoneware"}',               '{"capacity_ml": 120, "clay": "zini"}',                      '2024-09-15'),
  (36, 'teapots',   'KT-803', 'Çaydanlık, double kettle',       'Tea above, water below, company around.',                                           54.00, 17, 'TR', '{"steel"}',                   '{"capacity_ml": 1900, "induction": true}',                  '2024-03-01'),
  (37, 'teapots',   'KT-804', 'Brown Betty',                    'Staffordshire red clay and Rockingham glaze, as it was in 1690.',                   34.50, 39, 'GB', '{"earthenware"}',             '{"capacity_ml": 1100}',                                     '2024-03-01'),
  (38, 'bowls',     'KB-901', 'Chawan 茶碗, black raku',         'Pulled from the kiln while it glows. For matcha, and for looking at.',             160.00, 3,  'JP', '{"raku"}',                    '{"diameter_mm": 118}',                                      '2024-11-30'),
  (39, 'bowls',     'KB-902', 'Cuenco de Talavera',             'Yellow birds on a white sky. From Puebla, by the Uriarte workshop''s neighbours.',  27.00, 24, 'MX', '{"earthenware"}',             '{"diameter_mm": 150}',                                      '2024-07-07'),
  (40, 'bowls',     'KB-903', 'Skål, salt-fired',               'Grey as the sea off Bornholm in March.',                                            31.00, 19, 'DK', '{"stoneware"}',               '{"diameter_mm": 135, "dishwasher": true}',                  '2024-05-02'),
  (41, 'notebooks', 'SN-101', 'Notebook A5, dot grid',          'Thread-sewn, 160 pages, a spine that gives in at once.',                            14.00, 130, 'DE', '{"paper","linen"}',           '{"pages": 160, "ruling": "dots", "format": "A5"}',          '2024-03-01'),
  (42, 'notebooks', 'SN-102', 'Tomoe River 巴川 loose leaf',     'Fifty-two grams, and no ink bleeds through. We do not know how.',                   11.50, 90, 'JP', '{"paper"}',                   '{"pages": 100, "ruling": "blank", "format": "A5"}',         '2024-03-01'),
  (43, 'notebooks', 'SN-103', 'Lokta journal',                  'Bark paper from the Himalaya, deckle edges, cotton cord.',                          17.30, 36, 'NP', '{"lokta paper","cotton"}',    '{"pages": 96, "ruling": "blank"}',                          '2024-08-01'),
  (44, 'notebooks', 'SN-104', 'Cahier Séyès',                   'French school ruling. Makes any handwriting look as if it had been to lycée.',       4.60, 210, 'FR', '{"paper"}',                   '{"pages": 96, "ruling": "séyès"}',                          '2024-09-01'),
  (45, 'pens-ink',  'SP-201', 'Füllfederhalter «Heidelberg»',   'Piston filler with a gold nib that learns its owner.',                             148.00, 8,  'DE', '{"resin","gold"}',            '{"nib": "M", "filler": "piston"}',                          '2024-10-12'),
  (46, 'pens-ink',  'SP-202', 'Glass pen, Murano',              'Dip once, write a page. Turquoise twist.',                                          38.00, 16, 'IT', '{"glass"}',                   '{"nib": "glass"}',                                          '2024-05-18'),
  (47, 'pens-ink',  'SP-203', 'Iroshizuku 月夜, moonlight',      'A blue that was on its way to green and stayed for the evening.',                   24.80, 57, 'JP', '{"ink"}',                     '{"millilitres": 50, "waterproof": false}',                  '2024-03-01'),
  (48, 'pens-ink',  'SP-204', 'Iron gall ink, blue-black',      'Goes on blue, turns black, outlives the contract.',                                 13.90, 48, 'PL', '{"ink"}',                     '{"millilitres": 50, "waterproof": true}',                   '2024-03-01'),
  (49, 'pens-ink',  'SP-205', 'Brush pen 筆ペン, sable',         'For addresses on New Year''s cards, and for the courage to write them.',            19.00, 34, 'JP', '{"sable","resin"}',           '{"nib": "brush"}',                                          '2024-12-01'),
  (50, 'paper',     'SA-301', 'Washi 和紙 sheets, twenty',       'Mulberry paper with leaves in it.',                                                 15.40, 45, 'JP', '{"mulberry paper"}',          '{"sheets": 20}',                                            '2024-03-01'),
  (51, 'paper',     'SA-302', 'Amalfi envelopes',               'Bambagina from the valley of the mills, with the watermark to prove it.',           18.20, 30, 'IT', '{"cotton paper"}',            '{"pieces": 10}',                                            '2024-06-21'),
  (52, 'paper',     'SA-303', 'Pohlednice, letterpress cards',  'Eight winters of Prague in two colours.',                                           12.60, 55, 'CZ', '{"cardboard"}',               '{"pieces": 8}',                                             '2024-11-30'),
  (53, 'sweets',    'PS-401', 'Modica chocolate, cinnamon',     'Ground cold, so the sugar still crunches. As the Aztecs told the Spaniards.',        4.90, 160, 'IT', '{"cocoa","cane sugar"}',      '{"grams": 100, "vegan": true}',                             '2024-03-01'),
  (54, 'sweets',    'PS-402', 'Halva חלבה with pistachio',      'Cut from the block, wrapped in paper, gone by Thursday.',                            8.70, 75, 'IL', '{"sesame","pistachio"}',      '{"grams": 250, "vegan": true}',                             '2024-03-01'),
  (55, 'sweets',    'PS-403', 'Turrón de Jijona',               'Almonds and honey, beaten until they give up.',                                      9.90, 0,  'ES', '{"almond","honey"}',          '{"grams": 200, "season": "winter"}',                        '2024-11-02'),
  (56, 'preserves', 'PP-501', 'Heather honey',                  'Set like amber. From the moors above Braemar.',                                     11.80, 44, 'GB', '{"honey"}',                   '{"grams": 340}',                                            '2024-09-15'),
  (57, 'preserves', 'PP-502', 'Варенье из кедровых шишек',      'Young pine cones in syrup. For coughs, officially.',                                13.20, 21, 'KZ', '{"pine cones","sugar"}',      '{"grams": 250}',                                            '2024-12-01'),
  (58, 'oolong',    'TO-304', 'Dà Hóng Páo 大紅袍',              'Not on sale yet: the importer is still asleep.',                                    52.00, 0,  'CN', '{"oolong tea"}',              '{"grams": 50}',                                             null),
  (59, 'teapots',   'KT-805', 'Samovar самовар, three litres',  'Waiting for the wood-fired ones to pass customs.',                                 289.00, 0,  'UA', '{"brass"}',                   '{"capacity_ml": 3000}',                                     null),
  (60, 'sweets',    'PS-404', 'Lokum with rose',                'Draft: we are still tasting. It may take a while.',                                  7.90, 10, 'TR', '{"sugar","rose water"}',      '{"grams": 250, "vegan": true}',                             null)
) p (line, category, sku, name, description, price, stock, origin, materials, attributes, released_on)
join categories c on c.slug = p.category
order by p.line;

insert into tags (name, color) values
  ('organic', '#5b8c3e'), ('handmade', '#b5651d'), ('new', '#c2185b'), ('gift', '#8e44ad'), ('vegan', '#3e8c76'), ('everyday', '#4a6fa5'),
  ('rare', '#7d1128'), ('caffeine-free', '#6b8e23'), ('dishwasher-safe', '#2f6f8f'), ('floral', '#d17ba0'), ('smoky', '#4d4d4d'), ('winter', '#5f7c9b');

insert into product_tags (product_id, tag_id)
select p.id, t.id
from (values
  ('organic',         '{TG-101,TG-103,TG-104,TB-201,TB-202,TH-401,TH-402,TH-404,CB-501,CB-502,CB-506,PP-501}'::text[]),
  ('handmade',        '{TG-102,CR-601,CR-602,KC-701,KC-702,KC-703,KC-704,KT-801,KT-802,KT-804,KB-901,KB-902,KB-903,SN-103,SP-202,SA-301,SA-302,SA-303}'),
  ('new',             '{CB-505,CB-506,KB-901,SP-205,SA-303,PP-502,TO-303}'),
  ('gift',            '{TG-103,TO-303,CR-601,CR-604,KC-704,KT-801,KT-802,KB-901,SN-103,SP-201,SP-202,SP-203,SA-302,SA-303,PS-402,PS-403,KT-805}'),
  ('vegan',           '{PS-401,PS-402,PS-404,PP-502,TH-401,TH-403}'),
  ('everyday',        '{TG-104,TB-202,TB-203,TB-205,TH-401,CB-504,CR-603,CR-605,KC-703,KC-705,KT-803,KT-804,SN-101,SN-104,SP-204,PS-401}'),
  ('rare',            '{TG-102,TO-303,TO-304,KT-802,KB-901,KT-805,SP-201}'),
  ('caffeine-free',   '{TH-401,TH-402,TH-403,TH-404,CB-506}'),
  ('dishwasher-safe', '{KC-703,KC-705,KB-903}'),
  ('floral',          '{TG-105,TB-201,TO-301,TO-303,TH-403,CB-501,PS-404}'),
  ('smoky',           '{TB-204,TO-302,TO-304}'),
  ('winter',          '{TB-204,TB-205,TH-404,SA-303,PS-403,PP-501,PP-502}')
) tagged (name, skus)
join tags t using (name)
join products p on p.sku = any (tagged.skus)
order by p.id, t.id;
