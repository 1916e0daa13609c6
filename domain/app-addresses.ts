/** Never an address of the application, whatever a browser expects or opens there. */
export const NOT_OF_THE_APP = ['/api', '/docs', '/events', '/openapi.json', '/mailbox', '/healthz', '/readyz']
/** Where Vite puts files whose names hold a hash of their content. */
export const HASHED_FILES = '/assets/'
export const APP_PAGE = '/index.html'
