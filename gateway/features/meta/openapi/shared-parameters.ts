import type { Schema } from './values.ts';

/** A Parameter Object of OpenAPI 3.0.3. */
export type Parameter = { name: string; in: 'query' | 'path' | 'header'; required?: true; description: string; schema: Schema };

/** Parameters stand once in a document: operations refer to them. */
export type SharedParameters = {
  /** A Reference Object. The first of the names that no other parameter has is the component's. */
  refer: (parameter: Parameter, names: string[]) => { $ref: string };
  components: () => Record<string, Parameter>;
};

export function createSharedParameters(): SharedParameters {
  const byContent = new Map<string, string>();
  const byName = new Map<string, Parameter>();

  return { refer, components: () => Object.fromEntries(byName) };

  function refer(parameter: Parameter, names: string[]): { $ref: string } {
    const content = JSON.stringify(parameter);
    const name = byContent.get(content) ?? add(parameter, content, names.map(componentName));
    return { $ref: `#/components/parameters/${name}` };
  }

  function add(parameter: Parameter, content: string, names: string[]): string {
    const name = names.find(candidate => !byName.has(candidate)) ?? numbered(names.at(-1) ?? '');
    byName.set(name, parameter);
    byContent.set(content, name);
    return name;
  }

  function numbered(name: string): string {
    for (let n = 2; ; n++) if (!byName.has(`${name}${n}`)) return `${name}${n}`;
  }
}

/** The letters that a component's name may have (OpenAPI 3.0.3, Components Object). */
function componentName(text: string): string {
  return text.replaceAll(/[^\w.-]/g, '_');
}
