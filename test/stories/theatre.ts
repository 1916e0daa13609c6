import { randomUUID } from 'node:crypto'
import { mintAccessToken } from '#api/http/access-token.ts'
import { SCOPES, aYearFrom } from '#domain/risk/token-bounds.ts'
import { hashPassword } from '#api/identity/password-hash.ts'
import { keysFor, readKeyRing } from '#config/key-ring.ts'
import { sealCredentials } from '#db/broker/credentials.ts'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { AccessToken } from '#db/entities/index.ts'
import type { EncryptionKeys } from '#db/broker/secret-box.ts'
import { eventually } from '#test/support/eventually.ts'
import { createAccount, createConnection, createUser } from '#test/support/factories.ts'
import type { ScriptedAccount } from '#test/support/scripted-alpaca/account.ts'
import { ScriptedAlpaca } from '#test/support/scripted-alpaca/server.ts'
import { Stack } from '#test/support/stack.ts'
import type { StackOptions } from '#test/support/stack-parts.ts'
import { Desk } from './desk.ts'

const PASSWORD = 'a password of the stories'

/** The whole service beside one scripted broker, with as many people, each with an account, as there are stories. */
export class Theatre {
  readonly stack: Stack
  readonly broker: ScriptedAlpaca
  readonly #database: Database
  readonly #secretKeys: EncryptionKeys
  readonly #passwordHash: string

  static async open(options: StackOptions = {}): Promise<Theatre> {
    const broker = await ScriptedAlpaca.start()
    try {
      const stack = await Stack.start(options)
      const database = await openDatabase(stack.addresses.database, 4)
      const secretKeys = keysFor(await readKeyRing(stack.keyFile, false), 'stored-secrets')
      return new Theatre({ stack, broker, database, secretKeys, passwordHash: await hashPassword(PASSWORD) })
    } catch (error) {
      await broker.close()
      throw error
    }
  }

  private constructor(parts: {
    stack: Stack
    broker: ScriptedAlpaca
    database: Database
    secretKeys: EncryptionKeys
    passwordHash: string
  }) {
    this.stack = parts.stack
    this.broker = parts.broker
    this.#database = parts.database
    this.#secretKeys = parts.secretKeys
    this.#passwordHash = parts.passwordHash
  }

  /** A person with an account and a token of every scope; {@link untilFollowed} tells when the service follows it. */
  async desk(prepare?: (broker: ScriptedAccount) => void): Promise<Desk> {
    const { em } = this.#database
    const account = this.broker.open()
    prepare?.(account)
    const user = await createUser(em, { passwordHash: this.#passwordHash })
    const id = randomUUID()
    const { keyId, secretKey } = account
    const owner = { brokerId: id, userId: user.id }
    const connection = await createConnection(em, {
      id,
      userId: user.id,
      brokerType: 'paper',
      baseUrl: this.broker.url,
      sealedCredentials: sealCredentials(this.#secretKeys, owner, { keyId, secretKey }),
    })
    const { id: accountId } = await createAccount(em, {
      userId: user.id,
      brokerId: connection.id,
      brokerAccountId: account.number,
      isPrimary: true,
    })
    const { token, hash, prefix } = mintAccessToken()
    await em.fork().insert(AccessToken, {
      id: randomUUID(),
      userId: user.id,
      label: 'stories',
      scopes: [...SCOPES],
      hash,
      prefix,
      expiresAt: aYearFrom(new Date()),
      revokedAt: null,
      lastUsedAt: null,
      createdAt: new Date(),
    })
    return new Desk(
      { accountId, broker: account, origin: this.stack.addresses.api, token },
      { email: user.email, password: PASSWORD },
    )
  }

  /** Waits until the service follows an account: its stream is open, and its first comparison is over. */
  async untilFollowed({ broker }: Desk): Promise<void> {
    await eventually(
      () => {
        if (broker.stream.signedIn.accepted === 0 || broker.countRequests('GET /v2/account/activities') === 0)
          throw new Error('the service does not follow the account')
      },
      { within: 60_000, every: 100 },
    )
  }

  async close(): Promise<void> {
    await this.#database.close(true)
    await this.stack.close()
    await this.broker.close()
  }
}
