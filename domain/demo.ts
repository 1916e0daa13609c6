/** The token that comes with an installation on one machine. */
export const DEMO_TOKEN = 'Demo'
