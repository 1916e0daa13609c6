import type { TokenRefusal, TokenBounds } from '#domain/risk/token-bounds.ts'
import { defineEntity, p, type InferEntity } from '@mikro-orm/core'

/** Only the SHA-256 is stored; the text is shown once. */
export const AccessToken = defineEntity({
  name: 'AccessToken',
  tableName: 'access_tokens',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    label: p.text(),
    /** Hex SHA-256; null for a hook. */
    hash: p.text().nullable(),
    prefix: p.text(),
    scopes: p.array().columnType('text[]').$type<string[]>(),
    bounds: p.json().$type<TokenBounds>().defaultRaw(`'{}'`),
    /** Null for a hook, valid until revoked. */
    expiresAt: p.datetime().nullable().defaultRaw(`now() + interval '366 days'`),
    revokedAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    lastRefusal: p.json<TokenRefusal>().nullable(),
    /** Null once a signal was accepted. */
    refusedSince: p.datetime().nullable(),
    /** Equal bodies without sourceId within 30 s are one signal. */
    mergesRepeats: p.boolean().default(false),
    createdAt: p.datetime(),
  },
})
export type AccessToken = InferEntity<typeof AccessToken>
