/** A fenced block of a document. `answer`: the block of JSON or text that follows it with nothing between. */
export type Block = { language: string; text: string; line: number; answer?: Block };

/** The fenced blocks of a document, answers inside the blocks that they belong to. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  const fences = markdown.matchAll(/^```([^\n]*)\n(.*?)^```$/gms);
  let end = 0;
  for (const { 0: whole, 1: language = '', 2: text = '', index } of fences) {
    const block = { language, text, line: markdown.slice(0, index).split('\n').length };
    const previous = blocks.at(-1);
    if (isAnswer(block) && previous !== undefined && isExample(previous)
      && markdown.slice(end, index).trim() === '') previous.answer = block;
    else blocks.push(block);
    end = index + whole.length;
  }
  return blocks;
}

const isAnswer = ({ language }: Block): boolean => language === 'json' || language === 'text';
export const isExample = ({ language }: Block): boolean => language === 'sh' || language === 'sql';

/** Where the links of a document lead, without those to other sites. */
export function linksOf(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target).filter(target => !/^https?:/.test(target));
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```.*?^```$/gms, '');
  return [...prose.matchAll(/^#+ +(.+)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-'));
}

/** A file of a project: `ts folder/name`, `js folder/name` or `json folder/name`. */
const FILE = /^(?:[jt]s|json) ([^/]+)\/(.*)$/;
export const isFile = ({ language }: Block): boolean => FILE.test(language);

/** The files that the blocks of documents name in a folder. */
export function filesIn(blocks: Block[], folder: string): { name: string; text: string }[] {
  return blocks.flatMap(({ language, text }) => {
    const [, of, name] = FILE.exec(language) ?? [];
    return of === folder && name !== undefined ? [{ name, text }] : [];
  });
}

/** The files of a project whose blocks stand below a line that begins with their path. */
export function filesBelowPaths(markdown: string): { path: string; text: string }[] {
  return [...markdown.matchAll(/^`([^`\n]+)`[^\n]*:\n\n```\n(.*?)^```$/gms)].map(([, path = '', text = '']) => ({ path, text }));
}
