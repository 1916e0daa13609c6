import { findOwnAccount, type OwnAccount } from '#db/account/accounts.ts'
import type { EntityManager, Database } from '#db/engine/database.ts'
import type { Principal } from '../http/principal.ts'
import type { ApiContext } from '../http/context.ts'
import { ApiError } from '#contract/errors.ts'
import { isFreshProof } from './policy.ts'
import { recordAcceptance, recordRefusal } from '#db/identity/token-refusals.ts'
import type { TokenRefusal } from '#domain/risk/token-bounds.ts'
import { signalsRefused } from '#domain/alert/alert.ts'
import type { Logger } from 'pino'
import { withoutTokens } from '#contract/values/secrets.ts'

type Orderer = Pick<Principal, 'userId' | 'tradingMode' | 'isInPerson' | 'verifiedAt'>

export const usesDemo = (tradingMode: Principal['tradingMode']): boolean => tradingMode === 'PAPER'

/** For a person; tokens have bounds instead. */
export const needsProof = ({ isInPerson, verifiedAt }: Orderer): boolean =>
  isInPerson && !isFreshProof(verifiedAt)

/** @param inAnyMode for an order that may only close; the mode counts when it is sent */
export async function openingDenial(
  em: EntityManager,
  orderer: Orderer,
  accountId: string,
  { inAnyMode = false } = {},
): Promise<ApiError | null> {
  const account = await findOwnAccount(em, orderer.userId, accountId)
  if (!account) return new ApiError('ACCOUNT_NOT_FOUND')
  return (inAnyMode ? null : modeDenial(orderer, account)) ?? proofDenial(orderer, account)
}

export async function closingDenial(
  em: EntityManager,
  { userId }: Pick<Principal, 'userId'>,
  accountId: string,
): Promise<ApiError | null> {
  return (await findOwnAccount(em, userId, accountId)) ? null : new ApiError('ACCOUNT_NOT_FOUND')
}

function modeDenial({ tradingMode }: Orderer, { isDemo }: OwnAccount): ApiError | null {
  if (isDemo === usesDemo(tradingMode)) return null
  const kind = isDemo ? 'a demo' : 'a live'
  return new ApiError('MODE_MISMATCH', {
    message: `The account is ${kind} account and the mode is ${tradingMode}`,
  })
}

const proofDenial = (orderer: Orderer, { isDemo }: OwnAccount): ApiError | null =>
  !isDemo && needsProof(orderer) ? new ApiError('VERIFICATION_REQUIRED') : null

/** Milliseconds. */
const AFTER_FAILURE = 1_000
const REFUSAL_PAUSE_MS = 10_000
const REFUSAL_LENGTH = 300

/** No answer waits; a crash loses unwritten outcomes. */
export interface Refusals {
  refused(tokenId: string, code: string, message: string): void
  /** @param wasRefused the previous request, as far as the ledger knows */
  accepted(tokenId: string, wasRefused: boolean): void
  whenIdle(): Promise<void>
}

interface Line {
  refusal: TokenRefusal | null
  isAccepted: boolean
  isRefused: boolean
  /** Milliseconds of `performance.now()` until the next denial is written. */
  restsUntil: number
  writing: Promise<void> | null
}

/** Writes how a token's signals end: changes at once, of repeated denials the newest per `pause` milliseconds. */
export function createRefusals(database: Database, logger: Logger, pause = REFUSAL_PAUSE_MS): Refusals {
  const lines = new Map<string, Line>()
  const lineOf = (tokenId: string): Line => {
    const line = lines.get(tokenId) ?? {
      refusal: null,
      isAccepted: false,
      isRefused: false,
      restsUntil: 0,
      writing: null,
    }
    lines.set(tokenId, line)
    return line
  }
  const write = async (tokenId: string, line: Line): Promise<void> => {
    const { refusal, isAccepted } = line
    Object.assign(line, { refusal: null, isAccepted: false })
    let hasFailed = false
    try {
      if (refusal) await recordRefusal(database.em.fork(), tokenId, refusal, signalsRefused(refusal))
      if (isAccepted) await recordAcceptance(database.em.fork(), tokenId)
      line.isRefused = !isAccepted
    } catch (error) {
      logger.warn({ err: error, tokenId }, 'how signals of a token ended was not noted')
      hasFailed = true
      if (line.refusal === null && !line.isAccepted) Object.assign(line, { refusal, isAccepted })
    }
    line.restsUntil = performance.now() + pause
    line.writing = null
    if (hasFailed) setTimeout(() => next(tokenId, line), AFTER_FAILURE).unref()
    else next(tokenId, line)
  }
  const next = (tokenId: string, line: Line): void => {
    if (line.writing) return
    if (line.refusal === null && !line.isAccepted) {
      if (!line.isRefused) lines.delete(tokenId)
      return
    }
    const wait = line.isAccepted === line.isRefused ? 0 : line.restsUntil - performance.now()
    if (wait <= 0) line.writing = write(tokenId, line)
    else setTimeout(() => next(tokenId, line), wait).unref()
  }
  return {
    refused(tokenId, code, message) {
      const line = lineOf(tokenId)
      const words = withoutTokens(message)
      const isNew = line.refusal === null
      line.refusal = {
        at: new Date().toISOString(),
        code,
        message: words.length > REFUSAL_LENGTH ? `${words.slice(0, REFUSAL_LENGTH)}…` : words,
      }
      line.isAccepted = false
      if (isNew) next(tokenId, line)
    },
    accepted(tokenId, wasRefused) {
      const known = lines.get(tokenId)
      if (!wasRefused && !known) return
      const line = lineOf(tokenId)
      line.isRefused ||= wasRefused
      line.isAccepted = true
      next(tokenId, line)
    },
    async whenIdle() {
      await Promise.all([...lines.values()].map(async ({ writing }) => writing))
    },
  }
}

/** 4xx counts as denied; 5xx and dry runs do not count. */
export function outcomeOfSignal(
  refusals: Refusals,
  { state, status, body }: Pick<ApiContext, 'state' | 'status' | 'body'>,
  { tokenId, isRefused }: { tokenId: string; isRefused: boolean },
  error?: unknown,
): void {
  if (state.isDryRun) return
  if (error instanceof ApiError) {
    // TradingView resends three times.
    if (error.status < 500 || error.code === 'HOOK_RATE_EXCEEDED')
      refusals.refused(tokenId, error.code, wordsOf(error))
  } else if (error === undefined && status < 300) refusals.accepted(tokenId, isRefused)
  else if (error === undefined && status < 500) {
    const { code, error: words } = state.refusal ?? (body as { code: string; error: string })
    refusals.refused(tokenId, code, words)
  }
}

const wordsOf = ({ message, details }: ApiError): string =>
  details.length === 0
    ? message
    : `${message}: ${details
        .slice(0, 3)
        .map((one) => (one.field === '' ? one.message : `${one.field}: ${one.message}`))
        .join('; ')}`
