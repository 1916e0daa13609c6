import { SIGNAL_SORTS } from '#domain/lists.ts'
import { LISTED_ORIGINS } from '#domain/by-hand.ts'
import { ORIGINS } from '#domain/origin.ts'
import { EXIT_STATUSES } from '#domain/exit.ts'
import { EXECUTE_MODES } from '#domain/signal.ts'
import { SIGNAL_STATUSES } from '#domain/signal-status.ts'
import { z } from 'zod'
import { paging, period, checkPeriod } from '../values/query.ts'
import { anyOf, lineOfText, oneOf, symbols, uuid, wholeNumber } from '../values/values.ts'

export const signalListQuery = z
  .strictObject({
    accountId: uuid().optional(),
    strategyId: uuid().optional(),
    tokenId: uuid().describe('The access token that sent it').optional(),
    groupId: uuid().describe('The group of which it is a part').optional(),
    sourceId: lineOfText(255).optional(),
    origin: anyOf(ORIGINS)
      .describe(
        'Who asked for it: a program or a person by a signal (sender), a hook, or a person by an order, a close or a flattening',
      )
      .default([...LISTED_ORIGINS]),
    status: anyOf(SIGNAL_STATUSES).optional(),
    executeMode: oneOf(EXECUTE_MODES).optional(),
    exitStatus: anyOf(EXIT_STATUSES)
      .describe('How its exit stands; finds signals with an exit alone')
      .optional(),
    symbol: symbols().optional(),
    sort: oneOf(SIGNAL_SORTS)
      .describe('newest: the newest first. validUntil: the soonest to expire first, those that never do last')
      .default('newest'),
    ...period,
    ...paging,
  })
  .check(checkPeriod)

export const signalEventsQuery = z.strictObject({ ...paging, limit: wholeNumber(1, 500).default(500) })
