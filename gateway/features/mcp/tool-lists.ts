import { LRUCache } from 'lru-cache';
import type { CatalogDocument } from '../../catalog/document.ts';
import { scopesOf, type Caller } from '../../identity/caller.ts';
import { collectionList, holds, reachedBy } from './collections.ts';
import { LIST_COLLECTIONS, TOOLS, type Tool } from './tools.ts';

export type ToolLists = {
  /** The answer to tools/list, as JSON. */
  tools: (agent: Caller) => string;
  /** The answer of list_collections, as JSON. */
  collections: (agent: Caller) => string;
};

/** Texts are kept for so many different rights. */
const MOST_KEPT = 500;

/** Kept for agents of the same rights, as long as the catalog stands: the same rights give the same text. */
export function createToolLists(document: () => CatalogDocument): ToolLists {
  const tools = kept(toolList);
  const collections = kept(collectionList);
  return { tools: agent => tools(document(), agent), collections: agent => collections(document(), agent) };
}

function kept(make: (document: CatalogDocument, agent: Caller) => object): (document: CatalogDocument, agent: Caller) => string {
  const texts = new LRUCache<string, string>({ max: MOST_KEPT });
  return (document, agent) => {
    const key = JSON.stringify([document.version, agent.roles.toSorted(), scopesOf(agent)?.toSorted()]);
    const known = texts.get(key);
    if (known !== undefined) return known;
    const text = JSON.stringify(make(document, agent));
    texts.set(key, text);
    return text;
  };
}

function toolList(document: CatalogDocument, agent: Caller): object {
  const { name, title, description, hints, output } = LIST_COLLECTIONS;
  const inputSchema = { type: 'object', properties: {}, additionalProperties: false };
  const first = { name, title, description, inputSchema, outputSchema: output, annotations: { title, ...hints } };
  const others = TOOLS.filter(({ scope }) => holds(agent, scope)).map(tool => described(tool, document, agent));
  return { tools: holds(agent, LIST_COLLECTIONS.scope) ? [first, ...others] : others };
}

function described({ scope, namesFields, ...tool }: Tool, document: CatalogDocument, agent: Caller): object {
  const reached = reachedBy(document, agent, scope);
  const collection = {
    type: 'string', enum: reached.map(({ slug }) => slug),
    description: ['The collection.', ...(namesFields ? reached.map(lineOf) : [])].join('\n'),
  };
  return {
    name: tool.name, title: tool.title, description: tool.description,
    inputSchema: {
      type: 'object', properties: { collection, ...tool.arguments }, required: ['collection', ...tool.required],
      additionalProperties: false,
    },
    outputSchema: tool.output,
    annotations: { title: tool.title, ...tool.hints },
  };
}

function lineOf({ slug, description, fields }: ReturnType<typeof reachedBy>[number]): string {
  const named = fields.map(({ name, type, required }) => `${name} ${type}${required ? ' (required)' : ''}`).join(', ');
  return `${slug}${description === null ? '' : ` (${description})`}: ${named}`;
}
