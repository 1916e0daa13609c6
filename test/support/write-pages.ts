import { writeFile } from 'node:fs/promises'
import { CLIENT_TYPES, clientTypes } from './client-types.ts'
import { writePages } from './generated-pages.ts'

await writePages()
await writeFile(CLIENT_TYPES, await clientTypes())
