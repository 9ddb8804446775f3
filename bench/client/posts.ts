/** The posts of ../data.sql for the client. */
export type Post = { id: number; authorId: number; status: string; price: string };
export interface Posts {
  version: ''; digits: string; functions: object;
  collections: { posts: { row: Post; id: number; fields: { id: 'number'; authorId: 'number'; status: 'string' }; relations: object } };
}
export const schema = { version: '', collections: { posts: { digits: ['price'] } } };
export const LIST = { where: { authorId: ['==', 7], status: ['==', 'live'] }, orderBy: [{ field: 'id' }], limit: 50 } as const;
