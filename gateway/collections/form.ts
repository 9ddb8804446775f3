import { validateForm, type FormReport, type Place } from '../json/form.ts';
import { isObject } from '../json/json-file.ts';
import { replacement } from './moved-keys.ts';
import { propertyKeys, validationKeys } from './schema/properties.ts';
import { relationKeys } from './schema/relations.ts';
import { validatorOf, type Form } from './validators.ts';

/** Judges keys and types, and says where something is wrong; what a key means is not looked at. */
export function checkForm(form: Form, value: unknown, root: string, report: FormReport): Place[] {
  return validateForm(validatorOf(form), value, root, report, misplacedKey);
}

/** A key that has a place, only not here: it was renamed, or belongs to another type. To pass over it would lose what it asks for. */
function misplacedKey(place: Place, key: string, value: unknown): string | undefined {
  const scope = scopeOf(place);
  const instead = replacement(scope, key);
  const closed = closedScopes[scope];
  const owners = scope === 'property' ? ownersIn(propertyKeys, key)
    : scope === 'relation' ? Object.keys(relationKeys).filter(kind => Object.hasOwn(relationKeys[kind] ?? {}, key))
    : scope === 'validation' ? ownersIn(validationKeys, key)
    : [];
  const kinds = scope === 'relation' ? 'relations of kind' : 'properties of type';
  if (owners.length > 0) return `belongs to ${kinds} ${owners.join(', ')}, this is ${JSON.stringify(tagAt(place, value))}`;
  return instead === undefined ? closed : `has another name: ${instead}`;
}

/** Where to pass over a key would be to serve what it guards. */
const closedScopes: Readonly<Record<string, string>> = {
  rule: 'unknown key; a rule is not guessed at',
  condition: 'unknown key here; a condition is not guessed at',
  access: 'unknown key; the lists are read and write',
  tenant: 'unknown key; a tenant has field, from and bypassRoles',
  callbacks: 'is no hook; beforeSave, afterSave, afterRead, beforeDelete and afterDelete are',
};

function ownersIn(keys: ReadonlyMap<string, ReadonlySet<string>>, key: string): string[] {
  return [...keys].filter(([, known]) => known.has(key)).map(([type]) => type);
}

function scopeOf(place: Place): string {
  const last = place.at(-1);
  const before = place.at(-2);
  if (place.length === 0) return 'collection';
  if (/ecurityRules$/.test(place[0] ?? '') && place.length > 2) return 'condition';
  if (last === 'validation') return 'validation';
  if (last === 'relation' || before === 'relations') return 'relation';
  if (before === 'securityRules' || before === 'defaultSecurityRules') return 'rule';
  if (before === 'properties' || last === 'of') return 'property';
  return last ?? '';
}

/** The type or kind of what holds the key. */
function tagAt(place: Place, value: unknown): unknown {
  const path = scopeOf(place) === 'validation' ? place.slice(0, -1) : place;
  const holder = path.reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], value);
  return isObject(holder) ? holder['type'] ?? holder['kind'] : undefined;
}
