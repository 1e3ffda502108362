import { allCases, suite } from "./suite.js";

suite({ engine: "terraform" }, allCases);
