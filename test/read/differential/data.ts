/** The first field of a collection is its key: `<collection>Id`. */
export type Data = {
  template: 'served_chinook' | 'served_store';
  fields: Record<string, string[]>;
  relations: Record<string, Record<string, Relation>>;
  /** The table of the many-to-many relation. */
  junction: string;
  /** The fields that can be summed: whole, or of two digits. */
  numbers: string[];
  /** Each table, with a small prime that divides the ids of the rows that only admins see; 0 hides none. */
  hidden: Record<string, number>;
  /** Statements that make more rows, or all. */
  rows: string[];
  /** A field that is null in some rows, and one to sort by. */
  nullable: { collection: string; field: string; order: string };
};
export type Relation = { target: string; kind: 'belongsTo' | 'hasMany' | 'manyToMany'; local: string; foreign: string };

export const belongsTo = (target: string, local: string, foreign = local): Relation => ({ target, kind: 'belongsTo', local, foreign });
export const hasMany = (target: string, foreign: string, local = foreign): Relation => ({ target, kind: 'hasMany', local, foreign });
export const manyToMany = (target: string, local: string, foreign: string): Relation => ({ target, kind: 'manyToMany', local, foreign });

/** Whatever a grammar could trip over, as a value. */
export const ODD = [
  '', ' lead', 'trail ', 'a,b', '(x)', '()', '(', 'x)', 'in.(a)', 'eq.x', 'like.%', 'null', '\\', '\\,', 'a\\', '100%', 'under_score',
  'a%b_c\\d', 'ÜMLAUT', 'straße', '日本語', '🎵 note', '"quoted"', 'it\'s', '{a,b}', 'tab\there', 'line\nbreak', 'or(a.eq.1)', 'a.b.c', 'not',
  '[1]', '+plus+', '&limit=1', '%25', '*', '#', '$1', 'NULL', 'true', '0', '-1e5', '==', ',', '.', ' ',
];
export const quoted = (text: string) => `'${text.replaceAll('\'', '\'\'')}'`;
