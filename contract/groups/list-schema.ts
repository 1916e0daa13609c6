import { z } from 'zod'
import { checkPeriod, paging, period } from '../values/query.ts'
import { oneOf, symbols, uuid } from '../values/values.ts'

export const groupListQuery = z
  .strictObject({
    tokenId: uuid().describe('The access token or hook that sent it').optional(),
    symbol: symbols().optional(),
    accounts: oneOf(['several', 'all'])
      .describe(
        'several: those for more than one account. all: those for one account too, as most messages of hooks are',
      )
      .default('several'),
    ...period,
    ...paging,
  })
  .check(checkPeriod)
