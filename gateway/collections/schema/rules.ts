import { condition } from './conditions.ts';
import { list, name, object, oneOf, roles } from '../../json/json-schema.ts';

const operations = ['select', 'insert', 'update', 'delete', 'all'];

export const rule = object('A policy of row security.', {
  name: name('Name of the policy; several operations add _<operation>.'),
  operation: oneOf('What it is about; default all.', ...operations),
  operations: list('Several of them.', { enum: operations }, { minItems: 1, uniqueItems: true }),
  mode: oneOf('permissive widens, restrictive narrows.', 'permissive', 'restrictive'),
  roles: { ...roles('Application roles that it is for.'), minItems: 1 },
  pgRoles: list('Database roles that it is for.', { enum: ['public', 'service_user'] }, { minItems: 1 }),
  ownerField: name('Property that holds the id of the row\'s owner.'),
  access: { const: 'public', description: 'Every row.', 'x-expected': '"public"' },
  using: name('SQL expression over the stored row; {property} stands for its column.'),
  withCheck: name('SQL expression over the row that is written.'),
  condition: { ...condition, description: 'Structured condition over the stored row.' },
  check: { ...condition, description: 'Structured condition over the row that is written; unless it is there, condition is.' },
});
