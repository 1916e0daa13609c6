import { writeFile } from 'node:fs/promises'
import { openDatabase } from '#db/engine/database.ts'
import { writeGoldenFiles } from '#test/db/statements/golden-files.ts'
import { CLIENT_TYPES, clientTypes } from './client-types.ts'
import { writePages } from './generated-pages.ts'
import { createTestDatabase, stopServers } from './servers.ts'

await writePages()
await writeFile(CLIENT_TYPES, await clientTypes())

const { url } = await createTestDatabase()
const database = await openDatabase(url)
try {
  await writeGoldenFiles(database.em)
} finally {
  await database.close(true)
  await stopServers()
}
