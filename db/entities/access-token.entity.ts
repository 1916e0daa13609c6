import type { TokenRefusal } from '#domain/token-refusal.ts'
import type { TokenBounds } from '#domain/token-bounds.ts'
import { defineEntity, p, type InferEntity } from '@mikro-orm/core'

/** A scoped access token. Only the SHA-256 of its text is kept; the text is shown once, at creation. */
export const AccessToken = defineEntity({
  name: 'AccessToken',
  tableName: 'access_tokens',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    label: p.text(),
    /** Hex SHA-256 of the whole token text; unique. Null for a hook, whose secrets are kept beside it. */
    hash: p.text().nullable(),
    /** The first characters of the token, to recognise it by. */
    prefix: p.text(),
    scopes: p.array().columnType('text[]').$type<string[]>(),
    /** The bounds of the token; `{}` for a token without bounds. Never changed. */
    bounds: p.json().$type<TokenBounds>().defaultRaw(`'{}'`),
    /** Null for a hook, which is good until it is revoked. */
    expiresAt: p.datetime().nullable().defaultRaw(`now() + interval '366 days'`),
    revokedAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    /** The last request for a signal that was refused. */
    lastRefusal: p.json<TokenRefusal>().nullable(),
    /** Since when its requests for signals are refused; null once one was accepted. */
    refusedSince: p.datetime().nullable(),
    /** Equal bodies of signals without sourceId that come within 30 s are one signal. */
    mergesRepeats: p.boolean().default(false),
    createdAt: p.datetime(),
  },
})
export type AccessToken = InferEntity<typeof AccessToken>
