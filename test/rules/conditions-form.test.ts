import t, { test } from 'tap';
import { openLoader } from '../collections/loaded.ts';

const { judge } = await openLoader(t);

/** A rule with such a condition, and what is said of it after `x.securityRules[0].condition`. */
const badConditions: [unknown, string[]][] = [
  ['mine', [': must be an object']],
  [{}, [': lacks kind']],
  [
    { kind: 'maybe' },
    [': unknown kind "maybe"; known are true, false, and, or, not, compare, rolesOverlap, rolesContain, authenticated, registered, '
      + 'serverContext, existsIn, raw'],
  ],
  [{ kind: 'and' }, [': lacks operands']],
  [{ kind: 'or', operands: [] }, ['.operands: must not be empty']],
  [{ kind: 'not' }, [': lacks operand']],
  [{ kind: 'not', operand: { kind: 'existsIn', collection: 'users' } }, ['.operand: lacks where']],
  [{ kind: 'rolesOverlap', roles: [] }, ['.roles: must be a list of roles, such as ["editor"]']],
  [{ kind: 'raw', sql: '' }, ['.sql: must not be empty']],
  [{ kind: 'true', unless: 'x' }, ['.unless: unknown key here; a condition is not guessed at']],
  [{
    kind: 'or', operands: [{ kind: 'true' }, { kind: 'compare', op: 'eq', left: { kind: 'uid' }, right: { kind: 'literal', value: {} } }],
  }, [
    '.operands[1].left: unknown kind "uid"; known are field, outerField, literal, authUid, authRoles, authClaim',
    '.operands[1].right.value: must be a text, a number, a boolean, null, or a list of them',
  ]],
  [{ kind: 'compare', op: '=', left: { kind: 'field', name: 'id', of: 'x' }, right: { kind: 'authClaim' } }, [
    '.op: must be one of eq, neq, lt, lte, gt, gte', '.left.of: unknown key here; a condition is not guessed at', '.right: lacks name',
  ]],
];

test('each fault in the form of a condition is named where it is', async t => {
  for (const [condition, expected] of badConditions) {
    const { problems } = await judge(t, { 'x.json': { slug: 'x', securityRules: [{ condition }] } }, 'warn');
    t.same(problems, expected.map(problem => `x.securityRules[0].condition${problem}`).sort(), JSON.stringify(condition));
  }
  const rules = [{ condition: { kind: 'true' }, check: { kind: 'and' } }];
  t.same((await judge(t, { 'x.json': { slug: 'x', securityRules: rules } }, 'warn')).problems,
    ['x.securityRules[0].check: lacks operands']);
  t.same((await judge(t, { 'x.json': { slug: 'x' }, '_defaults.json': { defaultSecurityRules: rules } }, 'warn')).problems,
    ['_defaults.json.defaultSecurityRules[0].check: lacks operands']);
});
