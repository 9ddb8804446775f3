import { type Report } from './definition.ts';
import { isObject } from './json-file.ts';

type Refusals = Readonly<Record<string, { when?: (value: unknown) => boolean; why: string }>>;

const isOn = (value: unknown): boolean => value !== false && value !== undefined && value !== null;
const later = (what: string) => ({ when: isOn, why: `${what} not built in this version` });
const never = (why: string) => ({ when: isOn, why });

/** What would be lost without a word if it were passed over. */
const ofCollection: Refusals = {
  auth: later('auth collections are'),
  dataSource: { when: value => value !== '(default)', why: 'there is one database; leave it out or say "(default)"' },
  engine: { when: value => value !== 'postgres', why: 'only postgres is served' },
  childCollections: never('of document databases; use relations'),
  subcollections: never('of document databases; use relations'),
  path: never('of document databases; use table'),
};
const ofProperty: Refusals = {
  storage: later('storage properties are'),
  callbacks: never('a row has callbacks, a property has none; declare them of the collection'),
  oneOf: later('arrays of several types are'),
};
/** What only a property of the row itself can have: inside an array or a map there is no column. */
const ofPart: Refusals = {
  ...ofProperty,
  isId: never('only a property of the row can be its key'),
  columnName: never('there is no column inside an array or a map'),
  columnType: never('there is no column inside an array or a map'),
  access: later('access lists inside an array or a map are'),
  excludeFromApi: later('excluded parts of an array or a map are'),
  autoValue: never('a stamp is a column, and there is none inside an array or a map'),
};

export function refuseOfCollection(path: string, collection: Record<string, unknown>, report: Report): void {
  refuse(ofCollection, path, collection, report);
}

export function refuseOfProperty(path: string, property: Record<string, unknown>, report: Report): void {
  refuse(ofProperty, path, property, report);
}

export function refuseOfPart(path: string, part: Record<string, unknown>, report: Report): void {
  refuse(ofPart, path, part, report);
  if (isObject(part['validation']) && isOn(part['validation']['unique'])) {
    report(`${path}.validation.unique`, 'there is no column inside an array or a map; uniqueInArray is for arrays');
  }
}

function refuse(refusals: Refusals, path: string, given: Record<string, unknown>, report: Report): void {
  for (const [key, { when = isOn, why }] of Object.entries(refusals)) {
    if (Object.hasOwn(given, key) && when(given[key])) report(`${path}.${key}`, why);
  }
}
