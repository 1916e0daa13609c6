export const DEMO_TOKEN = 'Demo'
