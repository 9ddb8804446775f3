import { either, list, mapOf, name, object, oneOf, type Keys, type Schema } from '../../json/json-schema.ts';
import { property } from './property.ts';
import { validation } from './validations.ts';

const actions = ['cascade', 'restrict', 'no action', 'set null', 'set default'];
/** The action of a foreign key when the referenced row is deleted, or gets another key. */
export const foreignKeyActions: Keys = {
  onDelete: oneOf('What becomes of this row when the other is deleted. Default: set null, or restrict when it is required.', ...actions),
  onUpdate: oneOf('What becomes of this row when the key of the other is changed. Default: no action.', ...actions),
};

const target = either('Slug of the other collection.', 'a slug', { type: 'string', minLength: 1 }, {
  type: 'object', required: ['__collectionRef'], properties: { __collectionRef: { type: 'string' } }, additionalProperties: false,
});

const everyRelation: Keys = { target, ...foreignKeyActions, validation: validation() };
const onTarget: Keys = {
  foreignKeyOnTarget: name('Column of the target that leads here; default: <singular of this slug>_id.'),
  sourceKey: name('Unique column here that it leads to; default: the primary key.'),
};

function joined(what: string): Schema {
  const column = { type: 'string', minLength: 1 };
  return either(`${what} Several as an array.`, 'a column', column, { type: 'array', minItems: 1, items: column });
}

/** The keys of each kind of relation besides its kind. */
export const relationKeys: Readonly<Record<string, Keys>> = {
  belongsTo: { ...everyRelation, localKey: name('Foreign key column here; default: <singular of the name>_id.') },
  hasOne: { ...everyRelation, ...onTarget },
  hasMany: { ...everyRelation, ...onTarget },
  manyToMany: {
    ...everyRelation,
    through: object('The junction table.', {
      table: name('Default: both table names in order, joined by _.'),
      sourceColumn: name('Leads to this side; default: <singular of this slug>_id.'),
      targetColumn: name('Leads to the other side; default: <singular of the target>_id.'),
      properties: mapOf('Columns of the junction of its own.', property),
    }),
  },
  via: {
    target,
    cardinality: oneOf('Whether it leads to one row or to many. Default: many.', 'one', 'many'),
    joinPath: list('The tables on the way, the last that of the target.', object('A join.', {
      table: name('A table of a collection, or a junction.'),
      on: object('What is equal.', { from: joined('Column of the table before.'), to: joined('Column of this table.') }, ['from', 'to']),
    }, ['table', 'on'])),
  },
};

/** @param more further keys of every kind of relation in this place. */
export function relation(more: Keys): Schema {
  const kinds = Object.entries(relationKeys);
  return {
    type: 'object',
    discriminator: { propertyName: 'kind' },
    oneOf: kinds.map(([kind, keys]) => object(`A ${kind} relation.`, { kind: { const: kind }, ...keys, ...more }, ['kind', 'target'])),
  };
}
