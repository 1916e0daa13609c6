/** The account of every example in the description of the API. */
export const EXAMPLE_ACCOUNT_ID = '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f'
