import { kinds, list, name, oneOf, roles, type Keys, type Schema } from '../../json/json-schema.ts';

/** A condition and its operands, at any depth. */
export const condition: Schema = { $ref: '#/$defs/condition' };
const operand: Schema = { $ref: '#/$defs/operand' };

const operands: Keys = { operands: list('The conditions.', condition, { minItems: 1 }) };
const someRoles = { ...roles('Application roles.'), minItems: 1 };
const scalar = { type: ['string', 'number', 'boolean'] };

/** The content of $defs in a schema with rules. */
export const conditions: Readonly<Record<string, Schema>> = {
  condition: kinds('What is asked of a row and of who calls.', {
    true: {},
    false: {},
    and: operands,
    or: operands,
    not: { operand: condition },
    compare: { op: oneOf('How.', 'eq', 'neq', 'lt', 'lte', 'gt', 'gte'), left: operand, right: operand },
    rolesOverlap: { roles: { ...someRoles, description: 'The caller has one of them.' } },
    rolesContain: { roles: { ...someRoles, description: 'The caller has all of them.' } },
    authenticated: {},
    registered: {},
    serverContext: {},
    existsIn: {
      collection: name('Slug of the collection that has such a row, as far as the caller may see it.'),
      where: { ...condition, description: 'What holds of that row; outerField is the row that the rule judges.' },
    },
    raw: { sql: name('SQL expression; {property} stands for its column.') },
  }),
  operand: kinds('What is compared.', {
    field: { name: name('Property of the row.') },
    outerField: { name: name('Property of the row that the rule judges, inside of existsIn.') },
    literal: {
      value: {
        description: 'A value, null, or a list of values beside a list.',
        anyOf: [scalar, { type: 'null' }, { type: 'array', items: scalar }],
        'x-expected': 'a text, a number, a boolean, null, or a list of them',
      },
    },
    authUid: {},
    authRoles: {},
    authClaim: { name: name('Claim of the access token.') },
  }),
};
