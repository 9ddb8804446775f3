import { EditError, editOf, fileOf, writeEdit, type FileEdit, type Found } from '../../collections/edit/file-edit.ts';
import { isObject, without, type JsonObject } from '../../json/json-file.ts';
import { editorRefusal, refusalError } from './availability.ts';
import { idProblem, nameProblem } from './names.ts';
import { refused } from './plan-answer.ts';
import type { Asker, SchemaOptions } from './options.ts';

/** By its action: what becomes of a collection's definition, undefined for none. */
export type Action = (found: Found | undefined, body: JsonObject) => JsonObject | undefined;

export const ACTIONS: Record<string, Action> = {
  'collection/save': (found, { collectionData, partial }) => {
    const given = required('collectionData', collectionData);
    return partial === true ? { ...found?.definition, ...given } : given;
  },
  'collection/delete': found => {
    existing(found);
    return undefined;
  },
  'property/save': (found, { propertyKey, propertyConfig }) => {
    const { definition } = existing(found);
    const properties = isObject(definition['properties']) ? definition['properties'] : {};
    return { ...definition, properties: { ...properties, [keyOf(propertyKey)]: required('propertyConfig', propertyConfig) } };
  },
  'property/delete': (found, { propertyKey }) => {
    const { definition } = existing(found);
    const { properties } = definition;
    const key = keyOf(propertyKey);
    if (!isObject(properties) || !Object.hasOwn(properties, key)) throw new EditError(`There is no property ${key}.`);
    return { ...definition, properties: without(properties, key) };
  },
};

export type Editor = { status: () => object; edit: (action: Action, body: JsonObject, asker: Asker) => Promise<void> };

/** Rewrites collection files. The result is served at once where files are watched, else from the next start on. */
export function createEditor(options: SchemaOptions): Editor {
  const { project, door } = options;

  return {
    status() {
      const refusal = editorRefusal(options);
      return refusal === undefined ? { enabled: true } : { enabled: false, code: refusal.code, reason: refusal.reason };
    },
    async edit(action, body, asker) {
      const refusal = editorRefusal(options);
      if (refusal !== undefined) throw refusalError(refusal);
      await door.exclusively(async () => {
        try {
          const edit = editFor(idOf(body), action, body);
          await requireSound(edit, asker);
          writeEdit(edit);
        } catch (error) {
          throw refused('SCHEMA_EDIT_REFUSED', error);
        }
      }, asker);
    },
  };

  function editFor(id: string, action: Action, body: JsonObject): FileEdit {
    const { folder = '' } = project;
    const found = fileOf(folder, id);
    const definition = action(found, body);
    if (definition !== undefined) {
      requireNames(id, definition);
      return editOf(folder, id, found, { ...definition, slug: id });
    }
    const { path, name } = existing(found);
    return { path, name, was: '', text: undefined };
  }

  /** No files at all are sound: another question, which the next start asks. */
  async function requireSound({ name, text }: FileEdit, asker: Asker): Promise<void> {
    const files = project.load(new Map([[name, text]]));
    if (files === undefined) return;
    const { changes } = await door.plan(files, { ...asker, mayEvaluate: true });
    const granting = changes.find(({ kind }) => kind === 'grant-callback');
    if (granting !== undefined) throw new EditError([granting.detail, granting.remedy].join(' '));
    await door.rehearse(files);
  }
}

function idOf({ collectionId: id }: JsonObject): string {
  const problem = idProblem(id);
  if (problem !== undefined) throw new EditError(`collectionId ${problem}.`);
  return id as string;
}

function requireNames(id: string, definition: JsonObject): void {
  const wrong = nameProblem(definition, id);
  if (wrong !== undefined) throw new EditError(`${wrong.path} ${wrong.problem}.`);
}

function existing(found: Found | undefined): Found {
  if (found === undefined) throw new EditError('There is no file of this collection.');
  return found;
}

function required(name: string, value: unknown): JsonObject {
  if (!isObject(value)) throw new EditError(`${name} must be an object.`);
  return value;
}

function keyOf(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new EditError('propertyKey must be the name of a property.');
  return value;
}
