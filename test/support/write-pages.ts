import { writeFile } from 'node:fs/promises'
import { openDatabase } from '#db/engine/database.ts'
import { writeGoldenFiles } from '#test/db/statements/golden-files.ts'
import { WALK_PAGE, walkPage } from '#test/walk/page.ts'
import { recordWalk } from '#test/walk/recording.ts'
import { formatted, writePages } from './generated-pages.ts'
import { createTestDatabase, stopServers } from './servers.ts'

/** `npm run docs` writes everything that follows from the code, `npm run docs -- walk` the page that takes a recorded run. */
if (process.argv[2] === 'walk') await writeWalk()
else await writeAllElse()

async function writeWalk(): Promise<void> {
  await writeFile(WALK_PAGE, await formatted(WALK_PAGE, walkPage(await recordWalk())))
}

async function writeAllElse(): Promise<void> {
  await writePages()
  const { url } = await createTestDatabase()
  const database = await openDatabase(url)
  try {
    await writeGoldenFiles(database.em)
  } finally {
    await database.close(true)
    await stopServers()
  }
}
