import { standardSuccess } from './envelopes.ts'

export const EXAMPLE_REQUEST_ID = '3f2b1c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d'

export const exampleAnswer = <T>(data: T) => standardSuccess(data, EXAMPLE_REQUEST_ID)

export const examplePaging = (rows: number) => ({
  total: rows,
  totalIsExact: true,
  limit: 50,
  offset: 0,
  nextCursor: null,
})

export const EXAMPLE_ACCOUNT_ID = '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f'
