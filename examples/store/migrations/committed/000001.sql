--! Previous: -
--! Hash: sha1:41e2c69a8f8a3b4fb8454ac44c4bd148e3249a3b

-- The shop's own migration. The tables come from the collection files; here is what files do not say: the functions
-- behind the callbacks, constraints that hold for every writer, and the rows of the shop.

create schema app;

-- Callbacks run as whoever writes, for every writer: the API, psql, another migration.
create function app.product_before_delete(old jsonb) returns boolean
  language sql stable
  return not exists (select from public.order_items i where i.product_id = (old ->> 'id')::integer);

comment on function app.product_before_delete(jsonb) is 'False for a product that was ordered: take it off the shelf with published = false instead.';

create function app.order_item_before_save(op text, old jsonb, new jsonb) returns jsonb
  language sql immutable
  return jsonb_build_object('line_total', (new ->> 'quantity')::integer * (new ->> 'unit_price')::numeric);

comment on function app.order_item_before_save(text, jsonb, jsonb) is 'Keeps line_total.';

alter table products add check (sku ~ '^[A-Z]{2}-[0-9]{3}$'), add check (price >= 0), add check (stock >= 0);
alter table categories add check (parent_id <> id);
alter table customers add check (email like '%_@_%');
alter table orders add check (shipped_at >= placed_at), add check (address ? 'street' and address ? 'city' and address ? 'country');
alter table order_items add check (quantity > 0);
alter table reviews add check (rating between 1 and 5);

-- No random numbers and no clock from here on: every load gives the same shop.

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

insert into products (category_id, sku, name, description, price, cost, stock, origin, materials, attributes, published, released_on, created_at)
select c.id, p.sku, p.name, p.description, p.price, round(p.price * 0.55, 2), p.stock, p.origin, p.materials::text[], p.attributes::jsonb,
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

-- A server without pgvector has no column taste. It comes with the start that finds pgvector, and then so do the tastes.
create function app.fill_tastes() returns void language plpgsql set search_path = public as $$
begin
  if exists (select from information_schema.columns where table_schema = 'public' and table_name = 'products' and column_name = 'taste') then
    update products p set taste = t.taste::real[]
    from (values
      ('TG-101', '{0.4, 0.3, 0.1, 0.3}'), ('TG-102', '{0.4, 0.2, 0.4, 0.3}'), ('TG-103', '{0.3, 0.6, 0, 0.2}'), ('TG-104', '{0.3, 0.2, 0.7, 0.1}'),
      ('TG-105', '{0.5, 0.2, 0.3, 0.2}'), ('TB-201', '{0.4, 0.3, 0.1, 0.8}'), ('TB-202', '{0.5, 0.6, 0.3, 0}'), ('TB-203', '{0.2, 0.7, 0.3, 0.1}'),
      ('TB-204', '{0.1, 0.4, 0.9, 0.1}'), ('TB-205', '{0.4, 0.7, 0.3, 0}'), ('TO-301', '{0.5, 0.1, 0.3, 0.9}'), ('TO-302', '{0.5, 0.2, 0.7, 0.3}'),
      ('TO-303', '{0.8, 0.1, 0.2, 0.7}'), ('TH-401', '{0.6, 0.1, 0.2, 0.2}'), ('TH-402', '{0.4, 0, 0, 0.6}'), ('TH-403', '{0.3, 0.2, 0, 0.7}'),
      ('TH-404', '{0.4, 0.2, 0, 0.6}'), ('CB-501', '{0.5, 0.3, 0.3, 0.9}'), ('CB-502', '{0.7, 0.4, 0.5, 0.2}'), ('CB-503', '{0.6, 0.4, 0.3, 0.5}'),
      ('CB-504', '{0.3, 0.8, 0.9, 0}'), ('CB-505', '{0.7, 0.5, 0.6, 0.1}'), ('CB-506', '{0.4, 0.5, 0.6, 0.1}'), ('PS-401', '{0.7, 0.6, 0.3, 0.1}'),
      ('PS-402', '{0.8, 0.1, 0.4, 0}'), ('PS-403', '{0.9, 0, 0.4, 0}'), ('PP-501', '{0.9, 0.1, 0, 0.6}'), ('PP-502', '{0.8, 0.3, 0, 0.3}'),
      ('TO-304', '{0.4, 0.3, 0.8, 0.4}'), ('PS-404', '{1, 0, 0, 0.9}')
    ) t (sku, taste)
    where p.sku = t.sku and not exists (select from products where taste is not null);
  end if;
end $$;

select app.fill_tastes();

create function app.tastes_come() returns event_trigger language plpgsql as $$
begin
  if exists (select from pg_event_trigger_ddl_commands() c where c.objid = 'public.products'::regclass) then
    perform app.fill_tastes();
  end if;
end $$;

-- Only a superuser may create one, as the owner of the embedded database is; elsewhere the column stays empty.
do $$ begin
  create event trigger tastes_come on ddl_command_end when tag in ('ALTER TABLE') execute function app.tastes_come();
exception when insufficient_privilege then null;
end $$;

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
          when n <= 70 then 'paid' else 'pending' end)::orders_status as status
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

insert into reviews (product_id, customer_id, author, rating, language, title, body, created_at, updated_at)
select p.id, c.id, r.author, r.rating, r.language, r.title, r.body, w.written_at, w.written_at
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
cross join lateral (select timestamptz '2025-01-20 19:05:00+00' + (r.line - 1) * interval '5 days 7 hours 31.75 seconds' as written_at) w
order by r.line;
