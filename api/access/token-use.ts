import { recordTokenUse, type TokenHolder } from '#db/identity/access-tokens.ts'
import type { Database } from '#db/engine/database.ts'
import type { Logger } from 'pino'

const GRANULARITY_MS = 60_000

export interface TokenUse {
  note(holder: TokenHolder): void
  whenIdle(): Promise<void>
}

export function createTokenUse(database: Database, logger: Logger): TokenUse {
  const writing = new Map<string, Promise<void>>()
  return {
    note({ tokenId, userId, lastUsedAt }) {
      if (writing.has(tokenId)) return
      if (lastUsedAt && Date.now() - lastUsedAt.getTime() < GRANULARITY_MS) return
      const write = recordTokenUse(database.em.fork(), userId, tokenId)
        .catch((error: unknown) => logger.warn({ err: error, tokenId }, 'the use of a token was not noted'))
        .finally(() => writing.delete(tokenId))
      writing.set(tokenId, write)
    },
    async whenIdle() {
      await Promise.all(writing.values())
    },
  }
}
