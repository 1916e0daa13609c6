/** The name of the token that comes with an installation on one machine: its person has made no way for signals yet. */
export const DEMO_TOKEN = 'Demo'
