export const HISTORY = '/data/:slug/:id/history';
export const REVERT = `${HISTORY}/:historyId/revert`;
