import { belongsTo, hasMany, manyToMany, ODD, quoted, type Data } from './data.ts';

/** The rows of the example store, in tables whose columns have types that the model compares. */
const TABLES = `
  create table shelf (shelf_id integer primary key, parent_id integer references shelf, slug text, name text, description text,
    position smallint);
  create table article (article_id integer primary key, shelf_id integer references shelf, name text, description text,
    price numeric(10, 2), cost numeric(10, 2), stock integer, origin text);
  create table label (label_id integer primary key, name text, color text);
  create table article_label (article_id integer references article, label_id integer references label,
    primary key (article_id, label_id));
  create table purchase (purchase_id integer primary key, note text, shipping numeric(10, 2),
    placed_date timestamp, shipped_date timestamp);
  create table line (line_id integer primary key, purchase_id integer references purchase, article_id integer references article,
    quantity smallint, unit_price numeric(10, 2));
  create table opinion (opinion_id integer primary key, article_id integer references article, author text, rating smallint,
    title text, body text);
  insert into shelf select id, parent_id, slug, name, description, position from categories;
  insert into article select id, category_id, name, description, price, cost, stock, origin from products;
  insert into label select id, name, color from tags;
  insert into article_label select product_id, tag_id from product_tags;
  insert into purchase select id, note, shipping, date_trunc('second', placed_at), date_trunc('second', shipped_at) from orders;
  insert into line select id, order_id, product_id, quantity, unit_price from order_items;
  insert into opinion select id, product_id, author, rating, title, body from reviews;`;

/** The example store, as tables without a definition, as it must be served. */
export const shop: Data = {
  template: 'served_store',
  fields: {
    shelf: ['shelfId', 'parentId', 'slug', 'name', 'description', 'position'],
    article: ['articleId', 'shelfId', 'name', 'description', 'price', 'cost', 'stock', 'origin'],
    label: ['labelId', 'name', 'color'],
    purchase: ['purchaseId', 'note', 'shipping', 'placedDate', 'shippedDate'],
    line: ['lineId', 'purchaseId', 'articleId', 'quantity', 'unitPrice'],
    opinion: ['opinionId', 'articleId', 'author', 'rating', 'title', 'body'],
  },
  relations: {
    shelf: {
      parent: belongsTo('shelf', 'parentId', 'shelfId'), shelf: hasMany('shelf', 'parentId', 'shelfId'),
      article: hasMany('article', 'shelfId'),
    },
    article: {
      shelf: belongsTo('shelf', 'shelfId'), line: hasMany('line', 'articleId'), opinion: hasMany('opinion', 'articleId'),
      label: manyToMany('label', 'articleId', 'labelId'),
    },
    label: { article: manyToMany('article', 'labelId', 'articleId') },
    purchase: { line: hasMany('line', 'purchaseId') },
    line: { purchase: belongsTo('purchase', 'purchaseId'), article: belongsTo('article', 'articleId') },
    opinion: { article: belongsTo('article', 'articleId') },
  },
  junction: 'article_label',
  numbers: ['position', 'price', 'cost', 'stock', 'shipping', 'quantity', 'unitPrice', 'rating'],
  hidden: { shelf: 5, article: 7, label: 4, article_label: 0, purchase: 11, line: 0, opinion: 3 },
  rows: [
    TABLES,
    ...ODD.map((text, i) => `insert into article values (${1000 + i}, ${i % 3 === 0 ? 'null' : '(select min(shelf_id) from shelf)'},
      ${quoted(text)}, ${i % 4 === 0 ? 'null' : quoted(ODD[(i * 7) % ODD.length] ?? '')}, ${i % 3}.${i % 2}0,
      ${i % 4 === 1 ? 'null' : i * 2}, ${i % 5}, null);`),
    ...ODD.map((text, i) => `insert into shelf (shelf_id, name, position)
      values (${1000 + i}, ${i % 9 === 0 ? 'null' : quoted(text)}, ${i % 3});`),
    ...ODD.slice(0, 12).map((text, i) => `insert into label values (${1000 + i}, ${quoted(text)}, null);`),
    'insert into article_label select a.article_id, l.label_id from article a, label l '
      + 'where a.article_id >= 1000 and (a.article_id + l.label_id) % 5 = 0;',
  ],
  nullable: { collection: 'article', field: 'description', order: 'stock' },
};
