import { readReferenceData } from "../../../scripts/build/reference-data.ts"
import { hasReferenceData, setReferenceData } from "../../../src/domain/reference/tables.ts"

/** Loads the reference data for code that a test imports. The Worker loads it from an asset. */
if (!hasReferenceData()) setReferenceData(readReferenceData())
