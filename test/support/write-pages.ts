import { writePages } from './generated-pages.ts'

await writePages()
