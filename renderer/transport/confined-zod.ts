/**
 * The page's content security policy allows no code that is made of texts. zod would try whether it does, and browsers would
 * report that as a violation. Imported before any module that makes a schema.
 */
import { config } from "zod";

config({ jitless: true });
